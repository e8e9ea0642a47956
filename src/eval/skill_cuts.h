#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "eval/skill_fit_seen.h"
#include "growth/skill_space.h"

namespace weft {

/// The best value of one task in one library.
struct TopValue {
  double value = -1e9;
  std::size_t of = 0;  ///< skills
};

/// Whether the skill that a task is for stands in a library, or elsewhere, or there is none.
enum class Own { kHere, kElsewhere, kNone };

/// How one task stands in one library.
struct Standing {
  std::size_t task = 0, parts = 1;
  Own own = Own::kNone;
  bool right = false;  ///< the best one is its own
  TopValue best;
  TopValue others;  ///< were its own missing
};

/// Of all tasks that are `wanted`, in each of their libraries. `values` are of [task][skill], without work.
std::vector<Standing> standings_of(const SeenSkills& seen, const std::vector<std::vector<double>>& values,
                                   const std::function<bool(const SeenTask&)>& wanted);

/// What is cut on: with the task's work, and without what the crowd takes.
double told_value(const TopValue& top, double work, const SkillWeights& weights);

struct SkillCuts {
  double refer = 0, follow = 0;
  double worth = 0;  ///< of both
};

/// The cuts under these weights that are worth most. A task that is told of the right skill first counts for telling,
/// one that is told of another skill while its own is missing counts against it, and more so where it is told to follow
/// it; at most 6 % of unrelated tasks may be told of a skill, 1 % to follow one. Libraries of each size count alike.
SkillCuts best_cuts(const std::vector<Standing>& standings, std::span<const double> work, const SkillWeights& weights);

}  // namespace weft
