#include "growth/skill_weighing.h"

#include <algorithm>
#include <cmath>

#include "base/prompts.h"
#include "model/make_message.h"
#include "text/utf8.h"
#include "text/weight_file.h"

namespace weft {
namespace {

constexpr std::size_t kShownTask = 1000, kWordedTask = 240, kShownText = 300,
                      kShownConditions = 6;  // characters; texts

struct Labels {
  std::string_view name, task, when, between, none, any;
};

constexpr Labels kEnglish{"en", "Task: ", ". When: ", "; ", "None of these", "Any procedure"};
constexpr Labels kChinese{"zh", "任务：", "。适用于：", "；", "都不合适", "任意一种做法"};

const Labels& labels_of(Language language) { return language == Language::kChinese ? kChinese : kEnglish; }

std::string shown(const Skill& skill, const Labels& labels) {
  std::string text = preview(skill.name, kShownText) + ": " + preview(skill.description, kShownText);
  for (std::size_t i = 0; i < std::min(skill.trigger_conditions.size(), kShownConditions); ++i)
    text += std::string(i == 0 ? labels.when : labels.between) + preview(skill.trigger_conditions[i], kShownText);
  return text;
}

std::string letter(std::size_t place) { return std::string(1, static_cast<char>('A' + place)); }

Result<std::vector<double>> ask(ChatModel& model, std::string_view prompt, std::string text,
                                std::vector<std::string> answers, const Deadline& deadline) {
  ChatRequest request;
  request.messages = {make_message(Role::kSystem, std::string(prompt)), make_message(Role::kUser, std::move(text))};
  request.answers = std::move(answers);
  WEFT_TRY(ChatReply reply, model.complete(request, deadline));
  if (reply.answer_logs.size() != request.answers.size())
    return unavailable(model.name() + " did not weigh the answers that it was asked about");
  return std::move(reply.answer_logs);
}

Result<std::vector<double>> letters_of(ChatModel& model, std::string_view task, std::span<const SkillMatch> skills,
                                       const Labels& labels, const Deadline& deadline) {
  std::string text = std::string(labels.task) + preview(task, kShownTask) + "\n\n";
  std::vector<std::string> answers;
  for (const SkillMatch& match : skills) {
    answers.push_back(letter(answers.size()));
    text += answers.back() + ". " + shown(match.skill, labels) + "\n";
  }
  answers.push_back(letter(answers.size()));
  text += answers.back() + ". " + std::string(labels.none) + "\n";
  return ask(model, shipped_prompt("skill_letter", labels.name).text, std::move(text), std::move(answers), deadline);
}

Result<std::vector<double>> worded_by(ChatModel& model, std::string_view task, std::span<const SkillMatch> skills,
                                      const Labels& labels, const Deadline& deadline) {
  const std::string_view prompt = shipped_prompt("skill_request", labels.name).text;
  std::vector<double> logs;
  for (std::size_t i = 0; i <= skills.size(); ++i) {
    std::string text = i < skills.size() ? shown(skills[i].skill, labels) : std::string(labels.any);
    WEFT_TRY(const auto log, ask(model, prompt, std::move(text), {preview(task, kWordedTask)}, deadline));
    logs.push_back(log.front());
  }
  return logs;
}

ChoiceWeights read_shipped() {
  const WeightFile file = shipped_weights("skill_choice");
  return {file.number("ranking"), file.number("letters"), file.number("worded"), file.number("none"),
          file.number("told")};
}

}  // namespace

Result<SkillWeighing> weigh_skills(ChatModel& model, std::string_view task, std::span<const SkillMatch> skills,
                                   const Deadline& deadline) {
  const Labels& labels = labels_of(language_of(task));
  SkillWeighing weighing;
  WEFT_TRY(weighing.letters, letters_of(model, task, skills, labels, deadline));
  WEFT_TRY(weighing.worded, worded_by(model, task, skills, labels, deadline));
  return weighing;
}

const ChoiceWeights& ChoiceWeights::shipped() {
  static const ChoiceWeights weights = read_shipped();
  return weights;
}

std::string ChoiceWeights::source() const {
  return WeightFile("skill_choice",
                    {{"ranking", ranking}, {"letters", letters}, {"worded", worded}, {"none", none}, {"told", told}})
      .source();
}

std::vector<double> choice_chances(std::span<const double> likeness, const SkillWeighing& weighing,
                                   const ChoiceWeights& weights) {
  std::vector<double> chances;
  for (std::size_t i = 0; i <= likeness.size(); ++i)
    chances.push_back((i < likeness.size() ? weights.ranking * likeness[i] : weights.none) +
                      weights.letters * weighing.letters[i] + weights.worded * weighing.worded[i]);
  const double most = *std::max_element(chances.begin(), chances.end());
  double sum = 0;
  for (double& chance : chances) sum += chance = std::exp(chance - most);
  for (double& chance : chances) chance /= sum;
  return chances;
}

std::string weighing_prompts(Language language) {
  const std::string_view name = labels_of(language).name;
  return shipped_prompt("skill_letter", name).id + ", " + shipped_prompt("skill_request", name).id;
}

}  // namespace weft
