#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "ports/chat/chat_model.h"
#include "text/words.h"
#include "weft/skills.h"

namespace weft {

/// How much of a skill a model is shown that chooses: characters of each text, and how many conditions.
inline constexpr std::size_t kShownText = 300, kShownConditions = 6;

/// How likely a model that weighs answers finds it that who needs this skill (null: any at all) words the task so, as a
/// logarithm: the likelihood of the query (Sachan et al., "Improving Passage Retrieval with Zero-Shot Question
/// Generation", 2022). A small model names badly what fits, but how it expects people to ask tells a skill from its
/// neighbours, also across languages. Errors are the model's; kUnavailable where it did not weigh what it was asked.
Result<double> wording_log(ChatModel& model, std::string_view task, const Skill* skill, const Deadline& deadline);

/// The same of each of these skills, and last of any at all.
Result<std::vector<double>> wording_logs(ChatModel& model, std::string_view task, std::span<const SkillMatch> skills,
                                         const Deadline& deadline);

/// What the ranking and a model's word count. weights/skill_choice.json, fitted by `weft fit choice`.
struct ChoiceWeights {
  double ranking = 0, wording = 0;
  double none = 0;  ///< added where no skill is said to fit
  double told = 0;  ///< so likely a skill must be to be told

  static const ChoiceWeights& shipped();
  /// As a file of weights/.
  std::string source() const;
};

/// Of each skill, and last of none, the probability that it is the one: in proportion to the power of a weighted sum.
/// `likeness` is that of the ranking, see `fitness`; `wording` has one entry more.
std::vector<double> choice_chances(std::span<const double> likeness, std::span<const double> wording,
                                   const ChoiceWeights& weights);

/// The prompt that is asked in a language, as what was chosen says by what.
std::string weighing_prompt(Language language);

}  // namespace weft
