#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/likeness.h"
#include "growth/skill_space.h"
#include "weft/skills.h"

namespace weft {

inline constexpr double kFollowed = 0.8, kReferred = 0.6;

/// What a task and a skill have in common.
struct SkillLikeness {
  double meaning = 0;       ///< above chance, in deviations
  double words = 0;         ///< shared, on the scale of `WordLikeness`
  bool by_meaning = false;  ///< whether the vectors of all that the skill says of itself were there
  double fits = 0;          ///< all as one number, see `fitness`
  double work = 0;          ///< of the task alone: how much it is one for a procedure, see `work_in`
  double crowd = 0;         ///< what the number of those that it was drawn from takes, see `crowding`
};

/// Of each skill, in their order: the task with all that `skill_phrases` gives. Where a vector is missing, words decide
/// of that skill alone: both ways have the same scale in `fits`. `weights`: null for those of the vectors' embedder.
std::vector<SkillLikeness> skill_likeness(const Likeness& likeness, std::span<const Skill> skills,
                                          std::string_view task, const SkillWeights* weights = nullptr);

/// Meaning, words, what kind of task it is and among how many it stands as one number, on which `kFollowed` and
/// `kReferred` cut; words have a scale of their own where there is no meaning.
double fitness(const SkillLikeness& of, const SkillWeights& weights);

/// What tasks are compared with: the conditions, then the title, which is name and description, then the whole of both;
/// without conditions the title alone.
std::vector<std::string> skill_phrases(const Skill& skill);

/// The skills that fit a task by `least` or more, the best first, at most `most`.
std::vector<SkillMatch> match_skills(const Likeness& likeness, std::span<const Skill> skills, std::string_view task,
                                     std::size_t most, double least = kReferred, const SkillWeights* weights = nullptr);

/// A skill as it stands in a prompt: name and description, steps or body, and only the paths of what else it has.
std::string skill_text(const SkillMatch& match, std::span<const std::string> resources);

}  // namespace weft
