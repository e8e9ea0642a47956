// Reflection by a model, in YAML.
#include "growth/reflect_model.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/prompts.h"
#include "base/strings.h"
#include "growth/reflect_floor.h"
#include "growth/trace_findings.h"
#include "model/growth_records.h"
#include "model/make_message.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"
#include "text/yaml_value.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostSteps = 60, kLongestOutput = 600, kLongestArguments = 300, kLongestThought = 300;
constexpr std::size_t kLongestText = 600, kMostItems = 20, kMostSuggestions = 3, kMostRules = 30;
constexpr double kRepeated = 0.6;  // share of a suggestion's words in one passage of an output
constexpr std::size_t kLeastWords = 3;

Json told_step(const ReportStep& step) {
  Json one{{"step", step.number},
           {"agent", step.agent},
           {"ms", static_cast<std::int64_t>(step.ms)},
           {"tokens", step.tokens}};
  if (!step.thought.empty()) one["thought"] = preview(step.thought, kLongestThought);
  if (!step.tool.empty()) {
    one["tool"] = step.tool;
    one["arguments"] = preview(step.arguments, kLongestArguments);
  }
  one[step.tool.empty() ? "answer" : "quoted_output"] = preview(step.output, kLongestOutput);
  if (step_failed(step)) one["failed"] = true;
  return one;
}

// Of a long trace the beginning, the end, and what failed between.
Json told_trace(const TaskReport& report, std::size_t most) {
  Json trace = Json::array();
  const std::size_t all = report.steps.size(), edge = most / 3;
  std::size_t left_out = 0, failures = 0;
  for (std::size_t i = 0; i < all; ++i) {
    const bool outer = all <= most || i < edge || i + edge >= all;
    if (!outer && !(step_failed(report.steps[i]) && failures++ < edge)) {
      ++left_out;
      continue;
    }
    trace.push_back(told_step(report.steps[i]));
  }
  if (left_out > 0) trace.push_back({{"left_out", left_out}});
  return trace;
}

Json told_report(const TaskReport& report, std::size_t most_steps) {
  Json told{{"original_request", preview(report.task, kLongestText)},
            {"final_output", preview(report.output, kLongestText)},
            {"outcome", to_string(report.outcome)},
            {"outcome_by", to_string(report.outcome_by)},
            {"user_reaction", to_string(report.reaction)},
            {"execution_trace", told_trace(report, most_steps)}};
  if (!report.reaction_text.empty()) told["user_said"] = preview(report.reaction_text, kLongestText);
  if (!report.limit.empty()) told["limit"] = preview(report.limit, kLongestArguments);
  return told;
}

// Everything stands in JSON strings: no text can end its own quotation.
std::string told(const ReflectionMaterial& material) {
  Json data;
  if (material.reports.size() == 1) {
    data = told_report(material.reports.front(), kMostSteps);
  } else {
    const std::size_t each = std::max<std::size_t>(6, kMostSteps / std::max<std::size_t>(1, material.reports.size()));
    for (const TaskReport& report : material.reports) data["tasks"].push_back(told_report(report, each));
  }
  if (material.failed_step > 0) data["failed_step"] = material.failed_step;
  if (!material.user_text.empty()) data["user_said"] = preview(material.user_text, kLongestText);
  data["active_rules"] = Json::array();
  for (const Rule& rule : material.rules.first(std::min(material.rules.size(), kMostRules)))
    data["active_rules"].push_back(rule.strategy);
  return data.dump(1, ' ', false, Json::error_handler_t::replace);
}

Error wrong(std::string why) { return invalid_argument(std::move(why), "YAML in the form that was asked for"); }

Result<std::string> text_at(const Value& map, const char* name, const std::string& place, bool needed) {
  const Value* at = map.find(name);
  if (at == nullptr || at->is_null()) {
    if (needed) return wrong(place + name + " is missing");
    return std::string();
  }
  if (at->text() == nullptr) return wrong(place + name + " must be a text");
  if (needed && at->text()->empty()) return wrong(place + name + " is empty");
  return preview(*at->text(), kLongestText);
}

// The items of a list; none where it is missing.
Result<std::span<const Value>> list_at(const Value& map, const char* name) {
  const Value* at = map.find(name);
  if (at == nullptr || at->is_null() || (at->text() != nullptr && at->text()->empty())) return std::span<const Value>();
  if (at->list() == nullptr) return wrong(std::string(name) + " must be a list");
  if (at->list()->size() > kMostItems) return wrong(std::string(name) + " has too many entries");
  return std::span<const Value>(*at->list());
}

Result<Grade> grade_at(const Value& map, const char* name, const std::string& place, bool needed) {
  WEFT_TRY(const std::string word, text_at(map, name, place, needed));
  if (word.empty()) return Grade::kLow;
  for (const auto& [known, grade] : {std::pair{"LOW", Grade::kLow}, {"MEDIUM", Grade::kMedium}, {"HIGH", Grade::kHigh}})
    if (word == known) return grade;
  return wrong(place + name + " must be LOW, MEDIUM or HIGH, not \"" + preview(word, 40) + "\"");
}

Result<ErrorCause> cause_at(const Value& map, const std::string& place) {
  WEFT_TRY(const std::string word, text_at(map, "cause", place, true));
  constexpr std::array kCauses{ErrorCause::kMissingInformation, ErrorCause::kWrongStrategy, ErrorCause::kToolMisuse,
                               ErrorCause::kModelLimit};
  if (word.size() == 1 && word[0] >= 'A' && word[0] <= 'D') return kCauses[static_cast<std::size_t>(word[0] - 'A')];
  return wrong(place + "cause must be A, B, C or D");
}

Result<Diagnosis> read_error(const Value& one, const std::string& place, std::int64_t steps) {
  Diagnosis made;
  WEFT_TRY(const std::string number, text_at(one, "step", place, false));
  if (!number.empty()) {
    if (number.size() > 9 || number.find_first_not_of("0123456789") != std::string::npos)
      return wrong(place + "step must be the number of a step");
    made.step = std::stoll(number);
    if (made.step > steps) return wrong(place + "step " + number + " is not in the trace");
  }
  WEFT_TRY(made.cause, cause_at(one, place));
  WEFT_TRY(made.what, text_at(one, "what", place, true));
  WEFT_TRY(made.remedy, text_at(one, "remedy", place, false));
  return made;
}

Result<Suggestion> read_suggestion(const Value& one, const std::string& place) {
  Suggestion made;
  WEFT_TRY(made.strategy, text_at(one, "strategy", place, true));
  WEFT_TRY(made.applies_to, text_at(one, "applies_to", place, true));
  WEFT_TRY(made.expected, text_at(one, "expected", place, true));
  WEFT_TRY(made.confidence, grade_at(one, "confidence", place, true));
  WEFT_TRY(made.severity, grade_at(one, "severity", place, false));
  WEFT_TRY(const std::string restricts, text_at(one, "restricts", place, false));
  if (!restricts.empty() && restricts != "true" && restricts != "false")
    return wrong(place + "restricts must be true or false");
  made.restricts = restricts == "true";
  return made;
}

// Models put answers into a fence of Markdown, whatever they are told.
std::string_view without_fence(std::string_view answer) {
  const auto begin = answer.find("```");
  if (begin == std::string_view::npos) return answer;
  const auto line = answer.find('\n', begin);
  const auto end = line == std::string_view::npos ? line : answer.find("\n```", line);
  return end == std::string_view::npos ? answer : answer.substr(line + 1, end - line);
}

bool has_outputs(std::span<const TaskReport> reports) {
  return std::any_of(reports.begin(), reports.end(), [](const TaskReport& report) {
    return std::any_of(report.steps.begin(), report.steps.end(),
                       [](const ReportStep& step) { return !step.tool.empty() && !step.output.empty(); });
  });
}

// Never more than what was shown can bear.
void bind(const ReflectionMaterial& material, const Reflection& floor, Reflection& made) {
  Grade floor_severity = Grade::kLow;
  for (const Suggestion& one : floor.suggestions) floor_severity = std::max(floor_severity, one.severity);
  const bool outputs = has_outputs(material.reports);
  const bool witnessed = std::any_of(material.reports.begin(), material.reports.end(), [](const TaskReport& report) {
    return report.outcome_by >= Witness::kUser && report.provenance == Provenance::kOwnRun;
  });
  for (Suggestion& one : made.suggestions) {
    if (outputs) {
      const bool proved = floor_severity == Grade::kHigh && witnessed && one.restricts;
      one.confidence = std::min(one.confidence, proved ? Grade::kHigh : Grade::kMedium);
      one.severity = std::min(one.severity, std::max(floor_severity, Grade::kMedium));
    }
    const Provenance from = repeated_from(one, material.reports);
    if (from == Provenance::kOwnRun) continue;
    one.confidence = one.severity = Grade::kLow;
    made.provenance = weakest(made.provenance, from);
  }
}

}  // namespace

Result<Reflection> read_reflection(std::string_view answer, std::int64_t steps) {
  WEFT_TRY(const Value map,
           parse_yaml_value(without_fence(answer), {.max_bytes = 64 * 1024, .max_nodes = 2000}, "answer"));
  if (map.object() == nullptr) return wrong("the answer must be a map with assessment, errors and suggestions");
  Reflection made;
  WEFT_TRY(made.assessment, text_at(map, "assessment", "", true));
  WEFT_TRY(made.efficiency, text_at(map, "efficiency", "", false));
  WEFT_TRY(const auto errors, list_at(map, "errors"));
  for (const Value& one : errors) {
    const std::string place = "errors[" + std::to_string(made.errors.size()) + "].";
    WEFT_TRY(Diagnosis error, read_error(one, place, steps));
    made.errors.push_back(std::move(error));
  }
  WEFT_TRY(const auto suggestions, list_at(map, "suggestions"));
  if (suggestions.size() > kMostSuggestions) return wrong("there may be three suggestions at most");
  for (const Value& one : suggestions) {
    const std::string place = "suggestions[" + std::to_string(made.suggestions.size()) + "].";
    WEFT_TRY(Suggestion suggestion, read_suggestion(one, place));
    made.suggestions.push_back(std::move(suggestion));
  }
  WEFT_TRY(const auto gaps, list_at(map, "gaps"));
  for (const Value& one : gaps) {
    if (one.text() == nullptr) return wrong("gaps must be texts");
    made.gaps.push_back(preview(*one.text(), kLongestText));
  }
  return made;
}

Provenance repeated_from(const Suggestion& suggestion, std::span<const TaskReport> reports) {
  std::set<Term> wanted;
  for (const Term term : index_terms(suggestion.strategy)) wanted.insert(term);
  Provenance found = Provenance::kOwnRun;
  if (wanted.size() < kLeastWords) return found;
  for (const TaskReport& report : reports)
    for (const ReportStep& step : report.steps) {
      if (step.tool.empty()) continue;
      for (const std::string_view passage : sentences(step.output)) {
        std::set<Term> same;
        for (const Term term : index_terms(passage))
          if (wanted.contains(term)) same.insert(term);
        if (static_cast<double>(same.size()) >= kRepeated * static_cast<double>(wanted.size()))
          found = weakest(found, provenance_of(step));
      }
    }
  return found;
}

Reflection reflect_by_model(ChatModel& model, const ReflectionMaterial& material, Reflection floor,
                            const Deadline& deadline) {
  const std::string& task = material.reports.empty() ? material.user_text : material.reports.front().task;
  const Prompt prompt = shipped_prompt("reflect", language_of(task) == Language::kChinese ? "zh" : "en");
  std::int64_t steps = 0;
  for (const TaskReport& report : material.reports)
    if (!report.steps.empty()) steps = std::max(steps, report.steps.back().number);
  ChatRequest request;
  request.max_tokens = 2048;
  request.messages = {make_message(Role::kSystem, std::string(prompt.text)), make_message(Role::kUser, told(material))};
  std::string why;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto reply = model.complete(request, deadline);
    if (!reply.ok()) {
      why = reply.error().message;
      break;  // the model itself repeats what can be repeated
    }
    auto read = read_reflection(reply->message.content, steps);
    if (!read.ok()) {
      why = read.error().message;
      request.messages.push_back(make_message(Role::kAssistant, reply->message.content));
      request.messages.push_back(
          make_message(Role::kUser, "The answer cannot be read: " + why + ". Answer again, in YAML alone."));
      continue;
    }
    Reflection made = floor;
    made.assessment = read->assessment;
    made.efficiency = read->efficiency;
    made.errors = std::move(read->errors);
    made.suggestions = std::move(read->suggestions);
    made.gaps = std::move(read->gaps);
    made.by = MadeBy::kModel;
    made.model = model.name();
    made.prompt = prompt.id;
    bind(material, floor, made);
    return made;
  }
  floor.model = model.name();
  floor.prompt = prompt.id;
  floor.failed = why;
  return floor;
}

}  // namespace weft
