#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eval/skill_set.h"
#include "flow/memory/likeness.h"
#include "growth/skill_weighing.h"

namespace weft {

/// A task whose nearest skills a model has weighed.
struct WeighedTask {
  std::size_t task = 0;  ///< place in the set
  std::optional<std::size_t> skill;  ///< the skill that it is for
  std::vector<std::size_t> shown;  ///< the nearest skills, by their places in the set, the best first; none: nothing
                                   ///< was near enough to ask about
  std::vector<double> likeness;  ///< of these
  std::vector<double> wording;  ///< of these, and of any at all, see `wording_logs`

  /// Which of the shown ones is right; their number where none is.
  std::size_t right() const;
};

/// Weighs what `chosen_by_model` would let the model weigh. `held`:
/// those that are set apart, else the others. A model is slow: `kept`, a file of JSON Lines, keeps what it said of each
/// task and skill, and a further run with the same model goes on from there; empty: none. Errors: the model's;
/// kUnavailable where the file cannot be written.
Result<std::vector<WeighedTask>> weigh_tasks(const SkillSet& set, const Likeness& likeness, ChatModel& model,
                                             const std::string& kept, bool held);

}  // namespace weft
