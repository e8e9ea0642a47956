#include "growth/reflector.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/random_id.h"
#include "growth/feedback_signs.h"
#include "growth/former_log.h"
#include "growth/reflect_floor.h"
#include "growth/reflect_model.h"
#include "model/growth_records.h"

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

}  // namespace weft
