#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eval/weighed_tasks.h"
#include "growth/skill_weighing.h"

namespace weft {

/// How a model's choice does.
struct ChoiceTally {
  std::int64_t tasks = 0, right = 0, wrong = 0;  ///< of tasks with a skill: the first that is told is right, or another
  std::int64_t unrelated = 0, told = 0;  ///< of tasks without one: some skill is told
};

struct ChoiceFit {
  ChoiceWeights weights;
  ChoiceTally fitted;  ///< on what was fitted
  ChoiceTally unseen;  ///< by weights that saw no task of the same skill: each fifth by the rest
  std::optional<ChoiceTally> held;  ///< on tasks that were set apart, where they were asked for
  std::string source;  ///< the file of weights/
};

/// What is told of these tasks by such weights.
ChoiceTally choice_tally(const std::vector<WeighedTask>& tasks, const ChoiceWeights& weights);

/// Fits what the ranking and a model's word count: where it is right, the right one (or none) stands above each other
/// by a sum of differences, on a logistic curve. Then the cut: as low as it may be while at most 6 % of the unrelated
/// tasks are told of a skill. kInvalidArgument where there are no tasks.
Result<ChoiceFit> fit_choice(const std::vector<WeighedTask>& tasks);

/// The report as one line of JSON.
std::string to_json(const ChoiceFit& fit);

}  // namespace weft
