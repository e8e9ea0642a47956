#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "eval/skill_set.h"
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

}  // namespace weft
