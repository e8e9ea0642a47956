#include "growth/skill_weighing.h"

#include <algorithm>
#include <cmath>

#include "base/prompts.h"
#include "model/make_message.h"
#include "text/utf8.h"
#include "text/weight_file.h"

namespace weft {
namespace {

constexpr std::size_t kWordedTask = 240;  // characters

struct Labels {
  std::string_view when, between, any;
};

constexpr Labels kEnglish{". When: ", "; ", "Any procedure"};
constexpr Labels kChinese{"。适用于：", "；", "任意一种做法"};

Prompt prompt_in(Language language) {
  return shipped_prompt("skill_request", language == Language::kChinese ? "zh" : "en");
}

std::string shown(const Skill& skill, const Labels& labels) {
  std::string text = preview(skill.name, kShownText) + ": " + preview(skill.description, kShownText);
  for (std::size_t i = 0; i < std::min(skill.trigger_conditions.size(), kShownConditions); ++i)
    text += std::string(i == 0 ? labels.when : labels.between) + preview(skill.trigger_conditions[i], kShownText);
  return text;
}

ChoiceWeights read_shipped() {
  const WeightFile file = shipped_weights("skill_choice");
  return {file.number("ranking"), file.number("wording"), file.number("none"), file.number("told")};
}

}  // namespace

Result<double> wording_log(ChatModel& model, std::string_view task, const Skill* skill, const Deadline& deadline) {
  const Language language = language_of(task);
  const Labels& labels = language == Language::kChinese ? kChinese : kEnglish;
  ChatRequest request;
  request.messages = {make_message(Role::kSystem, std::string(prompt_in(language).text)),
                      make_message(Role::kUser, skill != nullptr ? shown(*skill, labels) : std::string(labels.any))};
  request.answers = {preview(task, kWordedTask)};
  WEFT_TRY(const ChatReply reply, model.complete(request, deadline));
  if (reply.answer_logs.size() == 1) return reply.answer_logs.front();
  return unavailable(model.name() + " did not weigh the answer that it was asked about");
}

Result<std::vector<double>> wording_logs(ChatModel& model, std::string_view task, std::span<const SkillMatch> skills,
                                         const Deadline& deadline) {
  std::vector<double> logs;
  for (std::size_t i = 0; i <= skills.size(); ++i) {
    WEFT_TRY(const double log, wording_log(model, task, i < skills.size() ? &skills[i].skill : nullptr, deadline));
    logs.push_back(log);
  }
  return logs;
}

const ChoiceWeights& ChoiceWeights::shipped() {
  static const ChoiceWeights weights = read_shipped();
  return weights;
}

std::string ChoiceWeights::source() const {
  return WeightFile("skill_choice", {{"ranking", ranking}, {"wording", wording}, {"none", none}, {"told", told}})
      .source();
}

std::vector<double> choice_chances(std::span<const double> likeness, std::span<const double> wording,
                                   const ChoiceWeights& weights) {
  std::vector<double> chances;
  for (std::size_t i = 0; i <= likeness.size(); ++i)
    chances.push_back((i < likeness.size() ? weights.ranking * likeness[i] : weights.none) +
                      weights.wording * wording[i]);
  const double most = *std::max_element(chances.begin(), chances.end());
  double sum = 0;
  for (double& chance : chances) sum += chance = std::exp(chance - most);
  for (double& chance : chances) chance /= sum;
  return chances;
}

std::string weighing_prompt(Language language) { return prompt_in(language).id; }

}  // namespace weft
