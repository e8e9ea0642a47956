#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "flow/memory/likeness.h"
#include "ports/chat/chat_model.h"
#include "ports/embedding/embedder.h"
#include "text/words.h"
#include "weft/growth.h"

namespace weft {

/// Two numbers by the languages of a task and of a condition: [task][condition].
using ByLanguages = std::array<std::array<double, 2>, 2>;

/// Where tasks and conditions of skills lie among the vectors of one embedder, and how near they are by chance. Short
/// requests, and phrases that say when something applies, each have a mean of their own: the one of long talk, by which
/// topics are compared, leaves so much of the language in them that another language is always further away.
struct SkillWeights {
  std::string embedder;  ///< a part of its name in lower case; empty: any, by the means of its similarity
  std::array<Vector, 2> tasks, conditions;  ///< means, by Language
  ByLanguages chance{}, deviation{};  ///< of nearness, where task and skill have nothing to do with each other
  double nearest = 0;  ///< what the nearest condition counts beside all of them together
  double words = 0;  ///< what shared words count beside meaning
  double crowd = 0;  ///< what a library's size takes, see `crowding`: among many, one is near to anything by chance
  Vector work;  ///< of a task without the mean of its language: the direction in which work lies; empty: unknown
  double work_bias = 0, work_share = 0;  ///< what is added along it, and what all of it counts beside meaning
  double refer = 0, follow = 0;  ///< on the sum of both: the two cuts

  /// A file of weights/skills/ that was fitted for an embedder of this name; null where none was.
  static const SkillWeights* fitted_for(std::string_view name);
  /// What somebody has fitted; `path` is for errors. kInvalidArgument where something is missing, or vectors are not of
  /// one length.
  static Result<SkillWeights> parse(std::string_view source, const std::string& path);
  /// For an embedder that nothing was fitted for.
  static const SkillWeights& general();
  /// Those that fit an embedder by its name.
  static const SkillWeights& of_embedder(std::string_view name);
};

/// What is taken from each of so many skills that a task is compared with: how far the best of as many draws lies above
/// their mean grows like this. So one pair of cuts serves libraries of every size.
double crowding(const SkillWeights& weights, std::size_t skills);

/// A task's vector without the mean of its language, of unit length.
Vector task_place(const SkillWeights& weights, std::span<const float> task, Language language);

/// How much a request looks like work that a procedure helps with, rather than an errand, a question or a word in
/// passing that is done with one answer: the logarithm of the odds, times its share. 0 where nothing was fitted.
double work_in(const SkillWeights& weights, std::span<const float> task, Language language);

/// How near a task is to a skill, in deviations above chance. Vectors are as the embedder gives them; `phrases` are
/// those of all that `skill_phrases` gives, in its order. `similarity` is used by the general weights only.
double nearness(const SkillWeights& weights, const Similarity& similarity, std::span<const float> task,
                Language task_language, std::span<const Vector> phrases, Language phrase_language);

/// The same before chance is taken away: what `chance` and `deviation` are made from.
double raw_nearness(const SkillWeights& weights, const Similarity& similarity, std::span<const float> task,
                    Language task_language, std::span<const Vector> phrases, Language phrase_language);

inline constexpr double kFollowed = 0.8, kReferred = 0.6;

/// What a task and a skill have in common.
struct SkillLikeness {
  double meaning = 0;  ///< above chance, in deviations
  double words = 0;  ///< shared, on the scale of `WordLikeness`
  bool by_meaning = false;  ///< whether the vectors of all that the skill says of itself were there
  double fits = 0;  ///< all as one number, see `fitness`
  double work = 0;  ///< of the task alone: how much it is one for a procedure, see `work_in`
  double crowd = 0;  ///< what the number of those that it was drawn from takes, see `crowding`
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

/// How many of the nearest skills a model chooses among.
inline constexpr std::size_t kChosenAmong = 8;
/// The best one is at least so near where a model is worth its time: what is further away fits nothing by any account.
inline constexpr double kWorthAsking = 0.3;

/// Which skills a task is told of, and who says so.
struct SkillChoice {
  std::vector<SkillMatch> matches;  ///< the best first
  std::string by;  ///< "ranking", or which prompt, its version and the model
  std::string failed;  ///< why the model's answer could not be used; empty: it could, or none was asked
};

/// The first `most` of the ranking that fit.
SkillChoice chosen_by_ranking(std::span<const SkillMatch> ranked, std::size_t most);

/// Asks a model which of the ranked skills were made for the task: what it chooses is told, in its order, and nothing
/// else is. How firmly stays with the ranking, so that no answer makes a skill one to be followed: what it did not find
/// near enough is a reference. Where the model fails, is late or talks nonsense, the ranking stands.
SkillChoice chosen_by_model(ChatModel& model, std::string_view task, std::span<const SkillMatch> ranked,
                            std::size_t most, const Deadline& deadline);

}  // namespace weft
