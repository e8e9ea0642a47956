#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/growth.h"
#include "weft/result.h"

namespace weft {

/// A task, and which skill is meant for it.
struct SkillTask {
  std::string text;
  std::optional<std::size_t> skill;  ///< place in the set; none: no skill is for it
  bool held = false;                 ///< set apart, nothing may be fitted on it
  std::size_t file = 0;              ///< which of the files it is of
};

struct SkillSet {
  std::vector<Skill> skills;
  std::vector<SkillTask> tasks;
  std::vector<std::size_t> files;  ///< of each skill, which file it is of
};

/// Reads a file as `eval_skills` has it. Errors name file and line.
Result<SkillSet> read_skill_set(const std::string& path);
/// Several files as one set.
Result<SkillSet> read_skill_sets(std::span<const std::string> paths);

}  // namespace weft
