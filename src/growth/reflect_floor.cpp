#include "growth/reflect_floor.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/prompts.h"
#include "base/strings.h"
#include "growth/rule_words.h"
#include "growth/trace_findings.h"
#include "text/plain_words.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostSuggestions = 3, kMostErrors = 5;
constexpr std::size_t kLongestExample = 200, kLongestTool = 60;  // bytes; what tools say is not told at length

struct Remedy {
  std::string what, strategy, applies_to, expected;
};

std::string filled(std::string_view text, std::string_view tool, std::string_view detail) {
  std::string made(text);
  for (const auto& [name, value] :
       {std::pair<std::string_view, std::string_view>{"{tool}", tool}, {"{detail}", detail}})
    for (auto at = made.find(name); at != std::string::npos; at = made.find(name, at + value.size()))
      made.replace(at, name.size(), value);
  return made;
}

// A tool's name comes from outside: what is none is not repeated.
std::string tool_name(const std::string& tool) {
  const bool plain = std::none_of(tool.begin(), tool.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; });
  return plain ? preview(tool, kLongestTool) : std::string("?");
}

Remedy remedy_of(std::string_view key, std::string_view language, const std::string& tool,
                 std::string_view detail = {}) {
  const Prompt table = shipped_prompt("remedies", language);
  for (const std::string_view line : lines_of(table.text)) {
    const auto cells = split_list(line, '|');
    if (cells.size() == 5 && cells[0] == key) {
      const std::string name = tool_name(tool);
      return {filled(cells[1], name, detail), filled(cells[2], name, detail), filled(cells[3], name, detail),
              filled(cells[4], name, detail)};
    }
  }
  return {};
}

std::string_view language_code(std::string_view text) { return language_of(text) == Language::kChinese ? "zh" : "en"; }

ErrorCause cause_of(TraceSign sign) {
  switch (sign) {
    case TraceSign::kMissing: return ErrorCause::kMissingInformation;
    case TraceSign::kMisuse: return ErrorCause::kToolMisuse;
    case TraceSign::kLimits:
    case TraceSign::kLimitReached:
    case TraceSign::kEmpty: return ErrorCause::kModelLimit;
    default: return ErrorCause::kWrongStrategy;
  }
}

// A row of equal errors is another matter than its single ones.
std::string_view remedy_key(const TraceFinding& finding) {
  const bool repeated = finding.same_error && finding.steps.size() >= 2 && finding.sign != TraceSign::kDestructive &&
                        finding.sign != TraceSign::kLoop;
  return repeated ? "repeated" : key_of(finding.sign);
}

Suggestion suggestion_of(const Remedy& remedy, TraceSign sign, std::size_t seen) {
  Suggestion made{remedy.strategy, remedy.applies_to,
                  remedy.expected, seen >= 2 ? Grade::kMedium : Grade::kLow,
                  Grade::kLow,     false};
  if (sign == TraceSign::kDestructive) {
    made.severity = Grade::kHigh;
    made.restricts = true;
  } else if (sign == TraceSign::kRefused || sign == TraceSign::kVerdict) {
    made.severity = Grade::kMedium;
    made.restricts = sign == TraceSign::kRefused;
  }
  return made;
}

void add_suggestion(Reflection& into, Suggestion suggestion) {
  for (const Suggestion& known : into.suggestions)
    if (known.strategy == suggestion.strategy) return;
  if (into.suggestions.size() < kMostSuggestions && !suggestion.strategy.empty())
    into.suggestions.push_back(std::move(suggestion));
}

void take_finding(const TraceFinding& finding, std::string_view language, Reflection& into) {
  const Remedy remedy = remedy_of(remedy_key(finding), language, finding.tool);
  const bool waste = finding.sign == TraceSign::kSlow || finding.sign == TraceSign::kUnused;
  std::string what = remedy.what;
  if (finding.steps.size() > 1) what += " (×" + std::to_string(finding.steps.size()) + ")";
  if (!finding.example.empty()) what += ": " + preview(finding.example, kLongestExample);
  if (waste) {
    into.efficiency += (into.efficiency.empty() ? "" : "; ") + what;
  } else if (into.errors.size() < kMostErrors) {
    into.errors.push_back(
        {finding.steps.empty() ? 0 : finding.steps.front(), cause_of(finding.sign), what, remedy.strategy});
  }
  if (finding.sign == TraceSign::kMissing && into.gaps.size() < kMostSuggestions) into.gaps.push_back(remedy.what);
  const std::size_t seen = std::max<std::size_t>(1, finding.steps.size());
  // To stop after the second error is one thing, not to make the first another.
  if (remedy_key(finding) != key_of(finding.sign) && finding.sign != TraceSign::kFailed)
    add_suggestion(into, suggestion_of(remedy_of(key_of(finding.sign), language, finding.tool), finding.sign, seen));
  add_suggestion(into, suggestion_of(remedy, finding.sign, seen));
}

std::string assessment_of(const TaskReport& report, std::string_view language) {
  const bool zh = language == "zh";
  const std::string who(to_string(report.outcome_by));
  switch (report.outcome) {
    case Outcome::kSuccess: return (zh ? "任务成功，依据：" : "the task succeeded, by ") + who;
    case Outcome::kFailure: return (zh ? "任务失败，依据：" : "the task failed, by ") + who;
    case Outcome::kUnknown: break;
  }
  return zh ? "结果未知" : "the outcome is not known";
}

Reflection begun(const TaskReport& report, ReflectionTrigger trigger) {
  Reflection made;
  made.trigger = trigger;
  made.owner = report.owner;
  made.reports = {report.id};
  made.session = report.session;
  made.task = report.task;
  made.outcome = witnessed_outcome(report);  // what its suggestions are borne out by
  made.provenance = report.provenance;
  return made;
}

std::string_view key_of_reaction(UserReaction reaction) {
  switch (reaction) {
    case UserReaction::kComplained: return "unhappy";
    case UserReaction::kAskedAgain: return "asked_again";
    default: return {};
  }
}

}  // namespace

Provenance weakest(Provenance a, Provenance b) { return std::max(a, b); }

Reflection floor_task_end(const TaskReport& report) {
  const std::string_view language = language_code(report.task);
  Reflection made = begun(report, ReflectionTrigger::kTaskEnd);
  made.assessment = assessment_of(report, language);
  for (const TraceFinding& finding : findings_of(report)) take_finding(finding, language, made);
  if (const auto key = key_of_reaction(report.reaction); !key.empty()) {
    const Remedy remedy = remedy_of(key, language, {});
    made.assessment += "; " + remedy.what;
    add_suggestion(made, suggestion_of(remedy, TraceSign::kFailed, 1));
  }
  return made;
}

Reflection floor_error(const TaskReport& so_far, const ReportStep& failed) {
  TaskReport until = so_far;
  std::erase_if(until.steps, [&](const ReportStep& step) { return step.number >= failed.number; });
  until.steps.push_back(failed);
  until.steps.back().failed = true;
  const std::string_view language = language_code(so_far.task);
  Reflection made = begun(so_far, ReflectionTrigger::kError);
  const auto findings = findings_of(until);
  // What the step is part of: the same error at the same tool.
  for (const TraceFinding& finding : findings) {
    if (finding.steps.empty() || finding.steps.back() != failed.number || !finding.tool.starts_with(failed.tool))
      continue;
    take_finding(finding, language, made);
  }
  if (made.errors.empty()) {
    TraceFinding alone{failure_sign(failed), failed.tool, {failed.number}, {}, false, false};
    take_finding(alone, language, made);
  }
  for (Diagnosis& error : made.errors) error.step = failed.number;
  return made;
}

Reflection floor_review(std::span<const TaskReport> day) {
  struct Seen {
    std::set<std::string> tasks;
    TraceSign sign = TraceSign::kFailed;
    std::string tool;
  };
  std::map<std::string, Seen> seen;
  Reflection made;
  made.trigger = ReflectionTrigger::kReview;
  if (day.empty()) return made;
  const std::string_view language = language_code(day.front().task);
  made = begun(day.front(), ReflectionTrigger::kReview);
  made.outcome = Outcome::kUnknown;
  made.reports.clear();
  std::size_t good = 0, known = 0;
  for (const TaskReport& report : day) {
    made.reports.push_back(report.id);
    made.provenance = weakest(made.provenance, report.provenance);
    known += report.outcome != Outcome::kUnknown ? 1 : 0;
    good += report.outcome == Outcome::kSuccess ? 1 : 0;
    for (const TraceFinding& finding : findings_of(report)) {
      const std::string key(remedy_key(finding));
      Seen& one = seen[key + '\0' + finding.tool];
      one.tasks.insert(report.task);  // a task that was tried again counts once
      one.sign = finding.sign;
      one.tool = finding.tool;
    }
  }
  const bool zh = language == "zh";
  made.assessment = zh ? std::to_string(day.size()) + " 个任务，结果已知 " + std::to_string(known) + " 个，成功 " +
                             std::to_string(good) + " 个"
                       : std::to_string(day.size()) + " tasks, " + std::to_string(known) + " with a known outcome, " +
                             std::to_string(good) + " of them succeeded";
  std::vector<std::pair<std::string, Seen>> order(seen.begin(), seen.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.tasks.size() > b.second.tasks.size(); });
  for (const auto& [key, one] : order) {
    if (one.tasks.size() < 2) break;
    const Remedy remedy = remedy_of(std::string_view(key).substr(0, key.find('\0')), language, one.tool);
    const std::string share =
        zh ? "（" + std::to_string(day.size()) + " 个任务中有 " + std::to_string(one.tasks.size()) + " 个）"
           : " (in " + std::to_string(one.tasks.size()) + " of " + std::to_string(day.size()) + " tasks)";
    if (made.errors.size() < kMostErrors)
      made.errors.push_back({0, cause_of(one.sign), remedy.what + share, remedy.strategy});
    add_suggestion(made, suggestion_of(remedy, one.sign, one.tasks.size()));
  }
  return made;
}

Reflection floor_feedback(const TaskReport& report, const Feedback& feedback) {
  const std::string_view language = language_code(feedback.text.empty() ? report.task : feedback.text);
  Reflection made = begun(report, ReflectionTrigger::kFeedback);
  // The user's own words bear witness, whatever else stood in the trace.
  made.provenance = report.provenance == Provenance::kImported ? Provenance::kImported : Provenance::kUser;
  if (feedback.sign == FeedbackSign::kNone) return made;
  const bool good = feedback.sign == FeedbackSign::kPraise;
  if (report.outcome_by < Witness::kVerifier) made.outcome = good ? Outcome::kSuccess : Outcome::kFailure;
  made.assessment = std::string(to_string(feedback.sign)) + ": " + preview(feedback.text, kLongestExample);
  if (good) return made;
  const bool edited = feedback.sign == FeedbackSign::kEdit, again = feedback.sign == FeedbackSign::kRepeat;
  const Remedy remedy = remedy_of(edited  ? "edited"
                                  : again ? "asked_again"
                                          : "unhappy",
                                  language, {}, preview(feedback.changed, kLongestExample));
  made.errors.push_back(
      {0, again ? ErrorCause::kMissingInformation : ErrorCause::kWrongStrategy, remedy.what, remedy.strategy});
  Suggestion advice = suggestion_of(remedy, TraceSign::kFailed, edited && feedback.changed.size() > 1 ? 2 : 1);
  // A correction says itself what is wanted.
  if (feedback.sign == FeedbackSign::kCorrection && !feedback.text.empty()) {
    advice.applies_to = preview(report.task, kLongestExample);
    advice.strategy +=
        (language == "zh" ? "；用户的更正：" : "; the user's correction: ") + preview(feedback.text, kLongestExample);
  }
  add_suggestion(made, std::move(advice));
  return made;
}

}  // namespace weft
