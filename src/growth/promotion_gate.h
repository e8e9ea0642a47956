#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "flow/memory/likeness.h"
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

}  // namespace weft
