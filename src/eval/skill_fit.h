#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/skills.h"
#include "growth/skill_space.h"
#include "ports/embedding/embedder.h"
#include "ports/embedding/similarity.h"
#include "text/words.h"

namespace weft {

inline constexpr std::size_t kSkillFolds = 5;
/// Which fold is left out; none where all are seen.
using LeftOut = std::optional<std::size_t>;

/// A task that may be fitted on, with what does not depend on any weight.
struct SeenTask {
  Vector vector;
  Language language = Language::kEnglish;
  std::optional<std::size_t> skill;
  std::size_t fold = 0;  ///< that of its skill
  std::size_t file = 0;
  std::vector<double> words;  ///< shared with each skill
};

struct SeenSkill {
  std::vector<Vector> phrases;
  Language language = Language::kEnglish;
  std::size_t fold = 0;
};

/// Skills that stand together, as those of one workspace do, with the tasks that are measured among them.
struct SeenLibrary {
  std::vector<std::size_t> skills;
  std::vector<std::size_t> tasks;  ///< also those whose skill is not among them, and those that no skill is for
  std::size_t parts = 1;           ///< into how many such libraries its file was divided
};

struct SeenSkills {
  std::vector<SeenTask> tasks;
  std::vector<SeenSkill> skills;
  std::vector<SeenLibrary> libraries;
};

/// Embeds what may be fitted on: the tasks that are not held, and all skills. Each file is a library, and so are its
/// fifths and twentieths: what fits must do so among five skills and among a hundred. Errors: those of the embedder.
Result<SeenSkills> look_at_skills(const SkillSet& set, Embedder& embedder);

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
  std::string source;  ///< of weights/skills/
  SkillFitReport fitted;  ///< on what it was fitted on
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
