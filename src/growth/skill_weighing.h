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

/// What a model that weighs answers says of a task and the skills nearest to it. It writes nothing: a small one names
/// badly what fits, but what it finds likely tells a skill from its neighbours.
struct SkillWeighing {
  /// Of each skill, and last of "none of these": the logarithm of the probability of its letter, where all were shown.
  std::vector<double> letters;
  /// Of each skill, and last of any skill at all: the logarithm of the probability that who needs it words the task so
  /// (query likelihood: Sachan et al., "Improving Passage Retrieval with Zero-Shot Question Generation", 2022).
  std::vector<double> worded;
};

/// Asks the model, once for the letters and once for each skill. Errors are the model's; kUnavailable where it does not
/// answer what it was asked.
Result<SkillWeighing> weigh_skills(ChatModel& model, std::string_view task, std::span<const SkillMatch> skills,
                                   const Deadline& deadline);

/// What the ranking and the two signs of a model count. weights/skill_choice.json, fitted by `weft fit choice`.
struct ChoiceWeights {
  double ranking = 0, letters = 0, worded = 0;
  double none = 0;  ///< added where no skill is said to fit
  double told = 0;  ///< so likely a skill must be to be told

  static const ChoiceWeights& shipped();
  /// As a file of weights/.
  std::string source() const;
};

/// Of each skill, and last of none, the probability that it is the one: in proportion to the power of a weighted sum.
/// `likeness` is that of the ranking, see `fitness`; the weighing has one entry more.
std::vector<double> choice_chances(std::span<const double> likeness, const SkillWeighing& weighing,
                                   const ChoiceWeights& weights);

/// The prompts that are asked, as what was chosen says by what.
std::string weighing_prompts(Language language);

}  // namespace weft
