#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "growth/growth_files.h"
#include "growth/promotion_gate.h"
#include "ports/files/line_log.h"
#include "text/record.h"

namespace weft {

/// One past task that was played with and without a candidate: a line of evolution/replays.jsonl. No words of it.
struct ReplayLine {
  Time time;
  std::string candidate, owner;
  std::int64_t version = 1;
  ReplayPair pair;
};
WEFT_DESCRIBED(ReplayPair);
WEFT_DESCRIBED(ReplayLine);

/// What was played, so that nothing is played twice, also after a kill. Made when there is something to keep. Safe from
/// any thread.
class ReplayLog {
 public:
  ReplayLog(FileSystem& files, GrowthFiles places, const Clock& clock)
      : files_(files), places_(std::move(places)), clock_(clock) {}

  Result<std::vector<ReplayPair>> of(const GateCandidate& candidate);
  Status add(const GateCandidate& candidate, const ReplayPair& pair);
  /// Takes out what was played of an owner's tasks.
  Status erase(const std::string& owner);

 private:
  Status open(bool make);

  FileSystem& files_;
  const GrowthFiles places_;
  const Clock& clock_;
  std::mutex mutex_;  ///< of what follows
  std::unique_ptr<LineLog> log_;
  std::vector<ReplayLine> lines_;
};

}  // namespace weft
