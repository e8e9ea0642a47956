#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "flow/memory/likeness.h"
#include "ports/files/file_system.h"
#include "ports/store/kept_records.h"
#include "weft/agent.h"
#include "weft/growth.h"

namespace weft {

/// What is to be promoted: a rule or a skill on probation, or a change of a skill.
struct GateCandidate {
  enum class Kind { kRule, kSkill, kMutation };
  Kind kind = Kind::kRule;
  std::string id, owner;
  std::int64_t version = 1;
  std::vector<std::string> matters;  ///< what it is about, in words: tasks are compared with each
};

/// One past task, played again with and without a candidate. kUnknown where nobody can tell.
struct ReplayPair {
  std::string run;
  Outcome with = Outcome::kUnknown, without = Outcome::kUnknown;
  std::string why;  ///< why nobody can

  bool is_judged() const { return with != Outcome::kUnknown && without != Outcome::kUnknown; }
};

/// Whether a candidate of this owner waits until it was tried on past tasks: its gate is kWaiting then, or kNotReplayed
/// with the reason. Asked under the lock of who promotes, so that it answers at once. Empty: there is no gate.
using GateKeeper = std::function<PromotionGate(const std::string& owner)>;

/// What the keeper says of a candidate of this version, which has just passed its trial; kNone without a keeper.
PromotionGate gate_of(const GateKeeper& keeper, const std::string& owner, std::int64_t version, const Clock& clock);

/// Whether it is this version of a candidate that waits, or is held back.
bool is_waiting(const PromotionGate& gate, std::int64_t version);
bool is_held_back(const PromotionGate& gate, std::int64_t version);

/// Tasks on which a candidate is to be tried, in this order: its owner's own, that it is about, whose outcome somebody
/// else than the model knows; successes, which it might break, and failures, which it might mend, by turns, the newest
/// first. Of tasks in the same words the newest.
std::vector<TaskReport> tasks_to_replay(const GateCandidate& candidate, std::span<const TaskReport> reports,
                                        const Likeness& likeness, double related);

/// What follows from the replays: held back where more tasks that succeed without it fail with it than are allowed.
/// Where none could be played to an end that can be judged, kNotReplayed: then the trial alone decides.
PromotionGate gate_after(std::span<const ReplayPair> pairs, std::int64_t allowed, std::int64_t version, Time now);

/// The same in a line for people.
std::string gate_text(const PromotionGate& gate);

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
