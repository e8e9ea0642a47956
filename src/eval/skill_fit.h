#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "eval/skill_set.h"
#include "growth/skill_space.h"
#include "ports/embedding/embedder.h"

namespace weft {

/// What is said to tasks: to those that a skill is for, to those whose skill is not there, and to those that none is
/// for.
struct SkillFitTally {
  std::int64_t tasks = 0, right_first = 0, right_to_follow = 0;
  std::int64_t ranked_first = 0;  ///< were the right one first if every task was told of its best
  std::int64_t without = 0, without_told = 0, without_to_follow = 0;
  std::int64_t unrelated = 0, told = 0, to_follow = 0;
};

/// By the number of parts that each file of skills was divided into: 1 is the whole file as one library.
using SkillFitReport = std::map<std::size_t, SkillFitTally>;

struct FittedSkills {
  SkillWeights weights;
  std::string source;       ///< of weights/skills/
  SkillFitReport fitted;    ///< on what it was fitted on
  SkillFitReport left_out;  ///< each fifth of the skills and of the other tasks by weights that never saw it
};

/// Fits on the tasks that are not held: means of tasks and conditions in each language, the nearness that is chance,
/// which requests are work that a procedure helps with, five weights on a grid, and the two cuts. What is told of the
/// right one is weighed against what would be told of a wrong one, in libraries of all sizes alike, and few of the
/// unrelated tasks may be told anything. From the same data and embedder the same weights. Errors: those of the
/// embedder.
Result<FittedSkills> fit_skills(const SkillSet& set, Embedder& embedder, const Similarity& similarity);

std::string to_json(const FittedSkills& fitted);

}  // namespace weft
