#pragma once

#include <cstdint>
#include <string>

#include "eval/skill_set.h"
#include "growth/skill_space.h"
#include "ports/embedding/embedder.h"

namespace weft {

/// What is said to tasks: to those that a skill is for, and to those that none is for.
struct SkillFitReport {
  std::int64_t tasks = 0, right_first = 0;
  std::int64_t ranked_first = 0;  ///< were the right one first if every task was told of its best
  std::int64_t without_told = 0;  ///< of these tasks: told of another skill, were their own missing
  std::int64_t unrelated = 0, told = 0;
};

struct FittedSkills {
  SkillWeights weights;
  std::string source;        ///< of weights/skills.json
  SkillFitReport fitted;     ///< on what it was fitted on
  SkillFitReport left_out;   ///< each fifth of the skills and of the other tasks by weights that never saw it
};

/// Fits on the tasks that are not held: means of tasks and conditions in each language, the nearness that is chance,
/// which requests are work that a procedure helps with, three weights on a grid, and the cuts: at most 6 % of unrelated
/// tasks are told of a skill and 2 % to follow one, and what is told of the right one is weighed against what would be
/// told of a wrong one. From the same data and embedder the same weights. Errors: those of the embedder.
Result<FittedSkills> fit_skills(const SkillSet& set, Embedder& embedder, const Similarity& similarity);

std::string to_json(const FittedSkills& fitted);

}  // namespace weft
