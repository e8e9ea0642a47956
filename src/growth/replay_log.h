#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "growth/promotion_gate.h"
#include "ports/files/file_system.h"
#include "ports/store/kept_records.h"

namespace weft {

/// One past task that was played with and without a candidate, as it is kept. No words of it.
struct ReplayLine {
  Time time;
  std::string candidate, owner;
  std::int64_t version = 1;
  ReplayPair pair;
};
WEFT_DESCRIBED(ReplayPair);
WEFT_DESCRIBED(ReplayLine);

/// The log of replays, by which no task is played twice, also after a kill. Safe from any thread.
class ReplayLog {
 public:
  /// Both must outlive it.
  ReplayLog(Store& store, const Clock& clock) : store_(store), clock_(clock), lines_(store, "replay") {}

  /// Takes the log that former versions wrote, and removes it.
  Status take_former_log(FileSystem& files, const std::filesystem::path& path);

  Result<std::vector<ReplayPair>> of(const GateCandidate& candidate);
  Status add(const GateCandidate& candidate, const ReplayPair& pair);
  /// Takes out what was played of an owner's tasks.
  Status erase(const std::string& owner);

 private:
  void put(const ReplayLine& line, WriteBatch& batch) const;

  Store& store_;
  const Clock& clock_;
  const KeptRecords<ReplayLine> lines_;
};

}  // namespace weft
