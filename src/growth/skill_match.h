#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "flow/memory/likeness.h"
#include "weft/skills.h"

namespace weft {

inline constexpr double kFollowed = 0.8, kReferred = 0.6;

/// What a task and a skill have in common.
struct SkillLikeness {
  double meaning = 0;  ///< above chance, in deviations: between the nearest condition and all of them
  double words = 0;    ///< shared, on the scale of `WordLikeness`
};

/// Of each skill, in their order: the task with its conditions, and with its name and description.
std::vector<SkillLikeness> skill_likeness(const Likeness& likeness, std::span<const Skill> skills,
                                          std::string_view task);

/// Both as one number, on which `kFollowed` and `kReferred` cut. Fitted, see `weft eval skills`. Where there is no
/// meaning, words have a scale of their own.
double fitness(const SkillLikeness& of, bool by_meaning);

/// The skills that fit a task, the best first, at most `most`.
std::vector<SkillMatch> match_skills(const Likeness& likeness, std::span<const Skill> skills, std::string_view task,
                                     std::size_t most);

/// A skill as it stands in a prompt: name and description, steps or body, and only the paths of what else it has.
std::string skill_text(const SkillMatch& match, std::span<const std::string> resources);

}  // namespace weft
