#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ports/embedding/similarity.h"
#include "text/words.h"

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

}  // namespace weft
