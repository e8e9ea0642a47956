#include "growth/reflector.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/prompts.h"
#include "base/strings.h"
#include "growth/growth_files.h"
#include "growth/reflect_floor.h"
#include "growth/trace_findings.h"
#include "model/growth_records.h"
#include "model/message_reader.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"
#include "text/yaml_value.h"

namespace weft {
namespace {

constexpr std::size_t kRowsAtOnce = 500;
constexpr std::size_t kShortestTrace = 24;  // bytes of a text that an erasure finds again by its words, amply
constexpr std::int64_t kLongestDayMs = 26 * 3'600'000;

std::string id_of(std::string_view what) { return fmt::format("rf-{:016x}", XXH3_64bits(what.data(), what.size())); }

// The document of a task's reflection at its end: each task has at most one. A reflection of a former version keeps its
// own id inside this document.
std::string id_of_task_end(const std::string& report) { return id_of(report); }

// The same of what the user said to a task's result.
std::string id_of_feedback(const std::string& report, std::string_view said) {
  return id_of(report + "\n" + std::string(said));
}

// Without the session: the scope's own erasure finds the entries of no session, but not those of a session that has no
// messages, such as an imported transcript's.
LogEntry closing_of(const TaskReport& report) {
  return {ScopeKey(report.owner), 0, LogKind::kTaskClosed, {}, report.id, 0};
}

template <class T>
Result<std::vector<T>> values(Result<std::vector<typename KeptRecords<T>::Kept>> kept) {
  if (!kept.ok()) return kept.error();
  std::vector<T> all;
  for (auto& one : *kept) all.push_back(std::move(one.value));
  return all;
}

std::string day_of(const TaskReport& report) { return format_date(report.ended); }

// A report is made of the messages of its session since the report before. Messages that came in one call may have the
// same time.
bool goes(const TaskReport& report, Time since, const ErasedMessages& gone) {
  if (gone.everything || (gone.before && report.ended < *gone.before)) return true;
  const auto of = gone.messages.find(SessionId(report.session));
  if (of == gone.messages.end()) return false;
  const auto is_of_it = [&](const auto& one) {
    return (since < one.second || since == report.ended) && !(report.ended < one.second);
  };
  return std::any_of(of->second.begin(), of->second.end(), is_of_it) || gone.repeats(to_json(report));
}

// Also what a user said to a result, which is no part of its report.
bool goes(const Reflection& reflection, const ErasedLessons& lessons, const ErasedMessages& gone) {
  if (gone.everything) return true;
  for (const std::string& report : reflection.reports)
    if (lessons.reports.contains(report)) return true;
  if (!gone.messages.contains(SessionId(reflection.session))) return false;
  return reflection.trigger == ReflectionTrigger::kFeedback || gone.repeats(to_json(reflection));
}

}  // namespace

template <>
const Record<ReportedTasks>& record<ReportedTasks>() {
  static const auto made = Record<ReportedTasks>("ReportedTasks", "", RecordUse::kBoth)
                               .field("newest", &ReportedTasks::newest, "the last task's report")
                               .field("last_seq", &ReportedTasks::last_seq, "of the last message without need of one")
                               .field("next_seen", &ReportedTasks::next_seen, "with the user's next message");
  return made;
}

// A report that the user judged later is in the log once more: the newest line counts.
Status Reflector::take_former_logs(FileSystem& files, const std::filesystem::path& folder) {
  std::map<std::pair<std::string, std::string>, TaskReport> reports;
  const auto take_report = [&](std::string_view line) {
    auto read = parse_record<TaskReport>(line, "line");
    if (!read.ok() || read->owner.empty() || read->id.empty()) return false;
    reports[{read->owner, read->id}] = std::move(read).value();
    return true;
  };
  const auto keep_reports = [&]() -> Status {
    WriteBatch batch;
    for (const auto& [key, report] : reports) {
      WEFT_TRY(const auto known, reports_.find(ScopeKey(report.owner), report.id));
      if (!known) reports_.put(ScopeKey(report.owner), report.id, report, 0, report.ended, batch);
      if (batch.documents.size() < kRowsAtOnce) continue;
      WEFT_CHECK(with_.store.write(batch));
      batch = {};
    }
    return with_.store.write(batch);
  };
  WEFT_CHECK(take_former_log(files, folder / "reports.jsonl", take_report, keep_reports));
  std::map<std::pair<std::string, std::string>, Reflection> reflections;  // by owner and document
  const auto take_reflection = [&](std::string_view line) {
    auto read = parse_record<Reflection>(line, "line");
    if (!read.ok() || read->owner.empty()) return false;
    const bool of_task = read->trigger == ReflectionTrigger::kTaskEnd && read->reports.size() == 1;
    const std::string id = of_task ? id_of_task_end(read->reports.front()) : id_of(line);
    reflections.try_emplace({read->owner, id}, std::move(read).value());
    return true;
  };
  return take_former_log(files, folder / "reflections.jsonl", take_reflection, [&]() -> Status {
    WriteBatch batch;
    for (const auto& [key, one] : reflections) {
      WEFT_TRY(const auto known, reflections_.find(ScopeKey(one.owner), key.second));
      if (!known) reflections_.put(ScopeKey(one.owner), key.second, one, 0, one.time, batch);
    }
    return with_.store.write(batch);
  });
}

Status Reflector::keep(const TaskReport& report) { return keep_report(report, Closed::kNow); }

Status Reflector::keep_report(const TaskReport& report, Closed closed) {
  if (report.id.empty() || report.owner.empty())
    return invalid_argument("task report: " + std::string(report.id.empty() ? "id" : "owner") + " is missing");
  const auto lock = locks_.of(report.owner);
  const std::lock_guard held(*lock);
  WEFT_TRY(const auto known, reports_.find(ScopeKey(report.owner), report.id));
  // One that was only kept may be learnt from later; not the other way round.
  if (known && (known->value.learn || !report.learn)) return {};
  WriteBatch batch;
  reports_.put(ScopeKey(report.owner), report.id, report, known ? known->version : 0, report.ended, batch);
  if (closed == Closed::kNow) batch.log.push_back(closing_of(report));
  return with_.store.write(batch);
}

Status Reflector::close_tasks(const ScopeKey& owner, const SessionId& session, std::span<const MessageRow> messages,
                              bool is_over, WriteBatch& batch) {
  std::vector<TaskInSession> tasks = tasks_in_session(messages, is_over);
  WEFT_CHECK(lessons_.move_to_reports(owner, session, tasks, with_.clock.now(), batch));
  std::erase_if(tasks, [](const TaskInSession& task) { return task.report.tool_calls == 0; });
  if (tasks.empty()) return {};
  for (auto& [report, last_seq] : tasks) {
    report.id = "session/" + session.str() + "/" + std::to_string(last_seq);
    report.session = session.str();
    report.owner = owner.str();
    if (!report.reaction_text.empty()) take_feedback(feedback_in(report.reaction_text, report, with_.likeness), report);
    // The report keeps no message that judges nothing. An erasure of a short one would not find its words there.
    if (report.reaction == UserReaction::kNone || report.reaction_text.size() <= kShortestTrace)
      report.reaction_text.clear();
    WEFT_TRY(const auto known, reports_.find(owner, report.id));
    if (known) continue;
    reports_.put(owner, report.id, report, 0, report.ended, batch);
    batch.log.push_back(closing_of(report));
  }
  const TaskInSession& last = tasks.back();
  const bool next_seen = std::any_of(messages.begin(), messages.end(), [&](const MessageRow& row) {
    return row.seq > last.last_seq && row.message.role == Role::kUser;
  });
  WEFT_TRY(const auto before, reported_.find(owner, session.str()));
  reported_.put(owner, session.str(), {last.report.id, last.last_seq, next_seen}, before ? before->version : 0,
                last.report.ended, batch);
  return {};
}

Status Reflector::pass_over(const ScopeKey& owner, const SessionId& session, std::int64_t last_seq, WriteBatch& batch) {
  WEFT_TRY(const auto before, reported_.find(owner, session.str()));
  if (before && before->value.last_seq >= last_seq) return {};
  reported_.put(owner, session.str(), {"", last_seq, true}, before ? before->version : 0, with_.clock.now(), batch);
  return {};
}

// The first word counts. If it comes again, as after a failure, it is only counted again, which changes no number
// twice.
Status Reflector::keep_judged(const TaskReport& report) {
  {
    const auto lock = locks_.of(report.owner);
    const std::lock_guard held(*lock);
    WEFT_TRY(const auto known, reports_.find(ScopeKey(report.owner), report.id));
    if (!known) return {};
    const bool again = known->value.reaction == report.reaction && known->value.reaction_text == report.reaction_text;
    if (known->value.reaction != UserReaction::kNone && !again) return {};
    WriteBatch batch;
    if (!again) reports_.put(ScopeKey(report.owner), report.id, report, known->version, report.ended, batch);
    if (!batch.empty()) WEFT_CHECK(with_.store.write(batch));
  }
  return with_.judged ? with_.judged(report) : Status();
}

Reflection Reflector::ask(const std::string& role, std::span<const TaskReport> reports, std::int64_t failed_step,
                          const std::string& user_text, Reflection floor) {
  ChatModel* model = with_.model ? with_.model(role) : nullptr;
  if (model == nullptr) return floor;
  std::vector<Rule> rules;
  if (with_.rules) rules = with_.rules(floor.owner, floor.task);
  return reflect_by_model(*model, {reports, failed_step, user_text, rules}, std::move(floor),
                          Deadline::after(with_.limit));
}

// If two threads reflect on the same thing at once, the first one's reflection is kept.
Result<Reflection> Reflector::finish(Reflection made, const std::string& id, const TaskReport* closes) {
  if (made.time.ms == 0) made.time = with_.clock.now();
  made.id = id.empty() ? "rf-" + random_hex(12) : id;
  if (with_.sink) WEFT_CHECK(with_.sink(made));
  const auto lock = locks_.of(made.owner);
  const std::lock_guard held(*lock);
  WEFT_TRY(const auto known, reflections_.find(ScopeKey(made.owner), made.id));
  if (known) return known->value;
  WriteBatch batch;
  reflections_.put(ScopeKey(made.owner), made.id, made, 0, made.time, batch);
  if (closes != nullptr) batch.log.push_back(closing_of(*closes));
  WEFT_CHECK(with_.store.write(batch));
  return made;
}

// The task is closed when its reflection is there: a reader of the log must not begin another one beside this call.
Result<Reflection> Reflector::task_end(const TaskReport& report, Depth depth) {
  WEFT_CHECK(keep_report(report, Closed::kLater));
  return at_end(report, depth, &report);
}

Result<Reflection> Reflector::reflect_on(const TaskReport& report, Depth depth) {
  return at_end(report, depth, nullptr);
}

Result<Reflection> Reflector::at_end(const TaskReport& report, Depth depth, const TaskReport* closes) {
  WEFT_TRY(const auto known, reflections_.find(ScopeKey(report.owner), id_of_task_end(report.id)));
  if (known) return known->value;
  TaskReport judged = report;
  if (judged.reaction == UserReaction::kNone && !judged.reaction_text.empty())
    take_feedback(feedback_in(judged.reaction_text, judged, with_.likeness), judged);
  Reflection floor = floor_task_end(judged);
  // A clock that is ahead makes no day that has not come.
  if (report.ended < with_.clock.now()) floor.time = report.ended;
  const std::string id = id_of_task_end(report.id);
  if (depth == Depth::kFloor) return finish(std::move(floor), id, closes);
  return finish(ask("main", std::span(&judged, 1), 0, {}, std::move(floor)), id, closes);
}

Result<Reflection> Reflector::error(const TaskReport& so_far, const ReportStep& failed) {
  if (so_far.owner.empty()) return invalid_argument("task report: owner is missing");
  TaskReport until = so_far;
  const bool known = std::any_of(until.steps.begin(), until.steps.end(),
                                 [&](const ReportStep& step) { return step.number == failed.number; });
  if (!known) until.steps.push_back(failed);
  return finish(ask("fast", std::span(&until, 1), failed.number, {}, floor_error(so_far, failed)));
}

Result<Reflection> Reflector::review(std::span<const TaskReport> day, Depth depth) {
  if (day.empty()) return invalid_argument("review: there is no task report of that day");
  for (const TaskReport& report : day)
    if (report.owner != day.front().owner)
      return invalid_argument(
          "review: the reports are of several owners, \"" + day.front().owner + "\" and \"" + report.owner + "\"",
          "review each by itself");
  if (depth == Depth::kFloor) return finish(floor_review(day));
  return finish(ask("fast", day, 0, {}, floor_review(day)));
}

Result<Reflection> Reflector::feedback(const TaskReport& report, const std::string& user_text, Depth depth) {
  if (report.owner.empty()) return invalid_argument("task report: owner is missing");
  const Feedback said = feedback_in(user_text, report, with_.likeness);
  if (said.sign == FeedbackSign::kNone)
    return invalid_argument("feedback: the text says nothing of the result",
                            "praise, a correction, a complaint, the question again, or the edited result");
  const std::string id = id_of_feedback(report.id, user_text);
  WEFT_TRY(const auto known, reflections_.find(ScopeKey(report.owner), id));
  if (known) return known->value;
  TaskReport judged = report;
  take_feedback(said, judged);
  WEFT_CHECK(keep_judged(judged));
  if (depth == Depth::kFloor) return finish(floor_feedback(report, said), id);
  ChatModel* own = with_.model ? with_.model("user_model") : nullptr;
  return finish(
      ask(own != nullptr ? "user_model" : "fast", std::span(&judged, 1), 0, user_text, floor_feedback(report, said)),
      id);
}

Result<std::vector<Reflection>> Reflector::reflections(const std::string& owner) {
  return values<Reflection>(reflections_.latest(ScopeKey(owner)));
}

Result<std::vector<TaskReport>> Reflector::reports(const std::string& owner, std::size_t newest) {
  return values<TaskReport>(reports_.latest(ScopeKey(owner), newest));
}

Result<std::optional<TaskReport>> Reflector::report(const std::string& owner, const std::string& id) {
  WEFT_TRY(auto found, reports_.find(ScopeKey(owner), id));
  return found ? std::optional(std::move(found->value)) : std::nullopt;
}

Result<ReportedTasks> Reflector::reported(const ScopeKey& owner, const SessionId& session) {
  WEFT_TRY(auto kept, reported_.find(owner, session.str()));
  return kept ? std::move(kept->value) : ReportedTasks{};
}

Result<std::vector<std::string>> Reflector::unreviewed(const std::string& day) {
  WEFT_TRY(Time first, parse_time(day));
  first.ms -= kLongestDayMs;  // the day of another zone may have begun before
  WEFT_TRY(const auto reports, reports_.since(first));
  std::map<std::string, std::set<std::string>> of_day;  // by owner
  for (const auto& [report, id, version] : reports)
    if (report.learn && day_of(report) == day) of_day[report.owner].insert(report.id);
  WEFT_TRY(const auto reflections, reflections_.since(first));
  for (const auto& [reflection, id, version] : reflections) {
    const auto of_owner = of_day.find(reflection.owner);
    if (reflection.trigger == ReflectionTrigger::kReview && !reflection.reports.empty() && of_owner != of_day.end() &&
        of_owner->second.contains(reflection.reports.front()))
      of_day.erase(of_owner);
  }
  std::vector<std::string> left;
  for (const auto& [owner, ids] : of_day) left.push_back(owner);
  return left;
}

Result<ErasedLessons> Reflector::lessons_of(const ErasedMessages& gone) {
  ErasedLessons lessons{gone.scope.str(), gone.everything, {}, {}, {}, gone.repeats};
  WEFT_TRY(const auto all_reports, reports(gone.scope.str()));
  std::map<std::string, Time> last;  // by session: where the report before ended
  for (const TaskReport& report : all_reports) {
    const Time since = std::exchange(last[report.session], report.ended);
    if (!goes(report, since, gone)) continue;
    lessons.reports.insert(report.id);
    lessons.tasks.insert(report.task);
  }
  WEFT_TRY(const auto all_reflections, reflections(gone.scope.str()));
  for (const Reflection& reflection : all_reflections)
    if (goes(reflection, lessons, gone)) lessons.reflections.insert(reflection.id);
  return lessons;
}

// The rest of an erased task's messages must not be reported anew, so the number of its last one stays.
Status Reflector::erase(const ErasedLessons& gone) {
  const auto lock = locks_.of(gone.owner);
  const std::lock_guard held(*lock);
  const ScopeKey owner(gone.owner);
  WriteBatch batch;
  if (gone.everything) {
    reports_.remove_all(owner, batch);
    reflections_.remove_all(owner, batch);
    reported_.remove_all(owner, batch);
    return with_.store.write(batch);
  }
  WEFT_TRY(const auto all, reports(gone.owner));
  for (const TaskReport& report : all) {
    if (!gone.reports.contains(report.id)) continue;
    reports_.remove(owner, report.id, batch);
    WEFT_TRY(const auto known, reported_.find(owner, report.session));
    if (known && known->value.newest == report.id)
      reported_.put(owner, report.session, {"", known->value.last_seq, true}, known->version, report.ended, batch);
  }
  WEFT_TRY(const auto reflected, reflections_.latest(owner));
  for (const auto& [reflection, id, version] : reflected)
    if (gone.reflections.contains(reflection.id)) reflections_.remove(owner, id, batch);
  return batch.empty() ? Status() : with_.store.write(batch);
}

// Reflection by a model, in YAML.

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
