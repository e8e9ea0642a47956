#include "growth/mutation_proposal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/prompts.h"
#include "base/strings.h"
#include "growth/rule_words.h"
#include "model/growth_records.h"
#include "model/message_reader.h"
#include "text/json.h"
#include "text/plain_words.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostDigits = 6;
constexpr double kFits = 0.6;  // likeness from which a tool is taken to do what a step says

// A number that a step takes as its own: no part of a name, date, version or list mark.
struct Number {
  std::string* text = nullptr;
  std::size_t at = 0, length = 0;
  std::int64_t value = 0;
};

bool belongs_to_a_name(char c) {
  return is_letter(c) || c == '_' || c == '.' || c == '-' || c == '/' || c == ':' || c == '#';
}

void find_numbers(std::string& text, std::vector<Number>& into) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    const bool before = at > 0 && belongs_to_a_name(text[at - 1]);
    // A full stop behind it ends a sentence, unless something goes on.
    const bool stop = end < text.size() && text[end] == '.' && (end + 1 == text.size() || is_blank(text[end + 1]));
    const bool behind = end < text.size() && belongs_to_a_name(text[end]) && !stop;
    if (!before && !behind && end - at <= kMostDigits) {
      const std::int64_t value = std::stoll(text.substr(at, end - at));
      if (value > 0) into.push_back({&text, at, end - at, value});
    }
    at = end;
  }
}

std::vector<Number> numbers_of(Skill& skill) {
  std::vector<Number> numbers;
  for (SkillStep& step : skill.steps) {
    find_numbers(step.action, numbers);
    find_numbers(step.details, numbers);
  }
  if (skill.steps.empty()) find_numbers(skill.body, numbers);
  return numbers;
}

std::string without_digits(std::string text) {
  std::erase_if(text, [](char c) { return is_digit(c); });
  return text;
}

std::string flat(const SkillStep& step) {
  std::string text = step.action + "\n" + step.details;
  for (const std::string& tool : step.tools) text += "\n" + tool;
  return text;
}

std::vector<std::string> flat(const Skill& skill) {
  std::vector<std::string> steps;
  for (const SkillStep& step : skill.steps) steps.push_back(flat(step));
  if (skill.steps.empty()) steps.push_back(skill.body);
  return steps;
}

bool is_new(const std::string& change, std::span<const std::string> tried) {
  return std::find(tried.begin(), tried.end(), change) == tried.end();
}

void add_parameters(const Skill& skill, std::span<const std::string> tried, std::vector<Proposal>& into) {
  Skill probe = skill;
  const std::size_t count = numbers_of(probe).size();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Proposal> of_this;
    for (const double factor : {0.6, 1.6, 2.4}) {
      Skill variant = skill;
      const Number number = numbers_of(variant)[i];
      const auto value = std::max<std::int64_t>(1, std::llround(static_cast<double>(number.value) * factor));
      if (value == number.value) continue;
      number.text->replace(number.at, number.length, std::to_string(value));
      std::string change = fmt::format("{} instead of {}: \"{}\"", value, number.value, *number.text);
      const auto same = [&](const Proposal& one) { return one.change == change; };
      if (!is_new(change, tried) || std::any_of(of_this.begin(), of_this.end(), same)) continue;
      of_this.push_back({MutationType::kParameter, std::move(change), "another amount may do better or cost less",
                         value < number.value ? "too little may be looked at" : "it takes longer",
                         "success of the tasks that use it", std::move(variant)});
    }
    // One number at a time: what made the difference would not be known.
    if (!of_this.empty()) {
      for (Proposal& one : of_this) into.push_back(std::move(one));
      return;
    }
  }
}

std::set<std::string> words_of(const SkillStep& step) {
  auto words = index_words(step.action + " " + step.details);
  return {std::make_move_iterator(words.begin()), std::make_move_iterator(words.end())};
}

bool builds_on(const SkillStep& later, const SkillStep& earlier) {
  static const PhraseTable refers = phrase_table("safety", "builds on");
  if (refers.any_in(plain_words(later.action + " " + later.details))) return true;
  const auto words = words_of(earlier);
  const auto mine = words_of(later);
  return std::any_of(mine.begin(), mine.end(), [&](const std::string& word) { return words.contains(word); });
}

void add_orders(const Skill& skill, std::span<const std::string> tried, std::vector<Proposal>& into) {
  for (std::size_t i = 0; i + 1 < skill.steps.size(); ++i) {
    if (builds_on(skill.steps[i + 1], skill.steps[i])) continue;
    Skill variant = skill;
    std::swap(variant.steps[i], variant.steps[i + 1]);
    std::string change = fmt::format("\"{}\" before \"{}\"", skill.steps[i + 1].action, skill.steps[i].action);
    if (!is_new(change, tried)) continue;
    into.push_back({MutationType::kOrder, std::move(change), "neither step needs the other; what comes first may guide",
                    "experimental: something may build on the order after all", "success of the tasks that use it",
                    std::move(variant)});
    return;
  }
}

void add_tools(const Skill& skill, std::span<const ToolInfo> tools, const Likeness& likeness,
               std::span<const std::string> tried, std::vector<Proposal>& into) {
  std::vector<std::string> about;
  for (const ToolInfo& tool : tools) about.push_back(tool.name + ": " + tool.description);
  for (std::size_t i = 0; i < skill.steps.size(); ++i) {
    const SkillStep& step = skill.steps[i];
    if (step.tools.size() != 1) continue;
    const std::vector<double> fit = likeness.to_all(step.action + " " + step.details, about);
    std::size_t best = tools.size();
    for (std::size_t t = 0; t < tools.size(); ++t)
      if (tools[t].name != step.tools[0] && fit[t] >= kFits && (best == tools.size() || fit[t] > fit[best])) best = t;
    if (best == tools.size()) continue;
    Skill variant = skill;
    variant.steps[i].tools = {tools[best].name};
    std::string change = fmt::format("\"{}\" with {} instead of {}", step.action, tools[best].name, step.tools[0]);
    if (!is_new(change, tried)) continue;
    into.push_back({MutationType::kStep, std::move(change), "the other tool says that it does the same",
                    "its results may be of another form", "success of the tasks that use it", std::move(variant)});
    return;
  }
}

}  // namespace

MutationType type_of_change(const Skill& original, const Skill& variant) {
  const auto before = flat(original), after = flat(variant);
  if (before.size() != after.size() || original.steps.empty() != variant.steps.empty()) return MutationType::kStrategy;
  if (std::is_permutation(before.begin(), before.end(), after.begin()))
    return before == after ? MutationType::kParameter : MutationType::kOrder;
  std::size_t different = 0;
  bool numbers_alone = true;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) continue;
    ++different;
    numbers_alone &= without_digits(before[i]) == without_digits(after[i]);
  }
  if (numbers_alone) return MutationType::kParameter;
  // A whole procedure in one text has no step that could be replaced.
  return different == 1 && !original.steps.empty() ? MutationType::kStep : MutationType::kStrategy;
}

std::vector<Proposal> floor_proposals(const Skill& skill, std::span<const ToolInfo> tools, const Likeness& likeness,
                                      std::span<const std::string> tried) {
  std::vector<Proposal> proposals;
  add_parameters(skill, tried, proposals);
  if (proposals.empty()) add_orders(skill, tried, proposals);
  if (proposals.empty()) add_tools(skill, tools, likeness, tried, proposals);
  return proposals;
}

namespace {

using Json = nlohmann::json;

constexpr const char* kSchema = R"({"type":"object","required":["proposals"],"properties":{"proposals":{"type":"array",
"minItems":1,"maxItems":3,"items":{"type":"object","required":["change","reason","risk","validation"],"properties":{
"change":{"type":"string"},"reason":{"type":"string"},"risk":{"type":"string"},"validation":{"type":"string"},
"body":{"type":"string"},"steps":{"type":"array","items":{"type":"object","required":["action"],"properties":{
"action":{"type":"string"},"details":{"type":"string"},"tools":{"type":"array","items":{"type":"string"}}}}}}}}}})";
constexpr std::size_t kMostUses = 20, kMostTools = 60, kLongestTask = 300, kLongestText = 400, kMostSteps = 40;
constexpr std::size_t kMostProposals = 3;

// A model may answer with anything, whatever it was asked for.
std::string string_of(const Json& one, const char* name) {
  const auto at = one.find(name);
  return at != one.end() && at->is_string() ? at->get<std::string>() : std::string();
}

Json told(const Skill& skill, std::span<const SkillRun> uses, std::span<const ToolInfo> tools) {
  Json data;
  Skill shown = skill;
  shown.version_history.clear();
  data["current_skill"] = Json::parse(to_json(shown), nullptr, false);
  data["success_patterns"] = Json::array();
  data["failure_patterns"] = Json::array();
  std::map<std::string, int> reactions;
  for (const SkillRun& use : uses.last(std::min(uses.size(), kMostUses))) {
    Json one{{"task", preview(use.task, kLongestTask)}};
    if (!use.trouble.empty()) one["trouble"] = use.trouble;
    data[use.success ? "success_patterns" : "failure_patterns"].push_back(std::move(one));
    if (use.reaction != UserReaction::kNone) ++reactions[std::string(to_string(use.reaction))];
  }
  data["feedback_trends"] = reactions;
  for (const ToolInfo& tool : tools.first(std::min(tools.size(), kMostTools)))
    data["tools"].push_back({{"name", tool.name}, {"description", preview(tool.description, kLongestTask)}});
  return data;
}

bool read_steps(const Json& given, const std::set<std::string>& tools, std::vector<SkillStep>& into) {
  if (!given.is_array() || given.empty() || given.size() > kMostSteps) return false;
  for (const Json& one : given) {
    if (!one.is_object()) return false;
    SkillStep step{string_of(one, "action"), string_of(one, "details"), {}};
    if (step.action.empty()) return false;
    if (const auto named = one.find("tools"); named != one.end() && named->is_array())
      for (const Json& tool : *named) {
        if (!tool.is_string() || !tools.contains(tool.get<std::string>())) return false;
        step.tools.push_back(tool.get<std::string>());
      }
    into.push_back(std::move(step));
  }
  return true;
}

// Empty where the proposal is none.
std::vector<Proposal> read_proposal(const Json& one, const Skill& skill, const std::set<std::string>& tools) {
  if (!one.is_object()) return {};
  Proposal made;
  made.change = preview(string_of(one, "change"), kLongestText);
  made.reason = preview(string_of(one, "reason"), kLongestText);
  made.risk = preview(string_of(one, "risk"), kLongestText);
  made.validation = preview(string_of(one, "validation"), kLongestText);
  made.variant = skill;
  std::string text = made.change;
  if (!skill.steps.empty()) {
    made.variant.steps.clear();
    const auto steps = one.find("steps");
    if (steps == one.end() || !read_steps(*steps, tools, made.variant.steps)) return {};
    for (const SkillStep& step : made.variant.steps) text += "\n" + step.action + "\n" + step.details;
  } else {
    made.variant.body = string_of(one, "body");
    text += "\n" + made.variant.body;
  }
  if (made.change.empty() || to_json(made.variant) == to_json(skill) || loosens_safety(text)) return {};
  made.type = type_of_change(skill, made.variant);
  return {made};
}

}  // namespace

ModelProposals model_proposals(ChatModel& model, const Skill& skill, std::span<const SkillRun> uses,
                               std::span<const ToolInfo> tools, const Deadline& deadline) {
  ModelProposals found;
  const Json data = told(skill, uses, tools);
  const bool chinese = language_of(skill.description + skill.name) == Language::kChinese;
  const Prompt prompt = shipped_prompt("mutation", chinese ? "zh" : "en");
  found.prompt = prompt.id;
  std::string text(prompt.text);
  const auto good = std::count_if(uses.begin(), uses.end(), [](const SkillRun& use) { return use.success; });
  const std::string rate = uses.empty() ? "?" : std::to_string(100 * good / static_cast<std::int64_t>(uses.size()));
  if (const auto at = text.find("{success_rate}"); at != std::string::npos) text.replace(at, 14, rate);
  ChatRequest request;
  request.json_schema = kSchema;
  request.max_tokens = 3072;
  request.messages = {make_message(Role::kSystem, std::move(text)),
                      make_message(Role::kUser, data.dump(1, ' ', false, Json::error_handler_t::replace))};
  const auto reply = model.complete(request, deadline);
  if (!reply.ok()) {
    found.failed = reply.error().message;
    return found;
  }
  const Json answer = lenient_json<Json>(reply->message.content);
  if (!answer.is_object() || !answer.contains("proposals") || !answer["proposals"].is_array()) {
    found.failed = "the answer is no object with proposals";
    return found;
  }
  std::set<std::string> known;
  for (const ToolInfo& tool : tools) known.insert(tool.name);
  for (const SkillStep& step : skill.steps) known.insert(step.tools.begin(), step.tools.end());
  for (const Json& one : answer["proposals"])
    for (Proposal& proposal : read_proposal(one, skill, known))
      if (found.proposals.size() < kMostProposals) found.proposals.push_back(std::move(proposal));
  if (found.proposals.empty()) found.failed = "none of its proposals could be used";
  return found;
}

}  // namespace weft
