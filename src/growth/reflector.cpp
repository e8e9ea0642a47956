#include "growth/reflector.h"

#include <algorithm>
#include <map>
#include <utility>

#include "growth/agent_files.h"
#include "growth/feedback_signs.h"
#include "growth/reflect_floor.h"
#include "growth/reflect_model.h"
#include "model/growth_records.h"

namespace weft {
namespace {

// A line that cannot be read is somebody's edit: it is left where it is.
template <class T>
void read_line(std::string_view line, std::vector<T>& into) {
  auto read = parse_record<T>(line, "line");
  if (read.ok()) into.push_back(std::move(read).value());
}

template <class T>
Result<std::unique_ptr<LineLog>> open_log(FileSystem& files, const std::filesystem::path& path, std::vector<T>& into) {
  into.clear();
  return LineLog::open(files, path, [&](std::string_view line) { read_line(line, into); });
}

template <class T>
std::vector<T> of_owner(const std::vector<T>& all, const std::string& owner) {
  std::vector<T> own;
  std::copy_if(all.begin(), all.end(), std::back_inserter(own), [&](const T& one) { return one.owner == owner; });
  return own;
}

// A report that the user judged later stands in the log once more; where it stood first, the newest line counts.
void keep_newest(std::vector<TaskReport>& reports) {
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  std::vector<TaskReport> kept;
  for (TaskReport& report : reports) {
    const auto [at, is_new] = places.emplace(std::pair(report.owner, report.id), kept.size());
    if (is_new)
      kept.push_back(std::move(report));
    else
      kept[at->second] = std::move(report);
  }
  reports = std::move(kept);
}

std::string day_of(const TaskReport& report) { return format_date(report.ended); }

// A report is made of the messages of its session since the report before.
bool goes(const TaskReport& report, Time since, const ErasedMessages& gone) {
  if (gone.everything || (gone.before && report.ended < *gone.before)) return true;
  const auto of = gone.messages.find(SessionId(report.session));
  if (of == gone.messages.end()) return false;
  const auto is_of_it = [&](const auto& one) { return since < one.second && !(report.ended < one.second); };
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

Status Reflector::open() {
  if (kept_.reflections) return {};
  WEFT_TRY(kept_.reports, open_log(with_.files, with_.places.reports(), kept_.all_reports));
  keep_newest(kept_.all_reports);
  WEFT_TRY(kept_.reflections, open_log(with_.files, with_.places.reflections(), kept_.all_reflections));
  return {};
}

Status Reflector::keep_report(const TaskReport& report) {
  if (report.id.empty() || report.owner.empty())
    return invalid_argument("task report: " + std::string(report.id.empty() ? "id" : "owner") + " is missing");
  std::lock_guard lock(mutex_);
  WEFT_CHECK(open());
  const auto known = std::find_if(kept_.all_reports.begin(), kept_.all_reports.end(), [&](const TaskReport& one) {
    return one.id == report.id && one.owner == report.owner;
  });
  const bool is_new = known == kept_.all_reports.end();
  // One that was only kept may be learnt from later; not the other way round.
  if (!is_new && (known->learn || !report.learn)) return {};
  WEFT_CHECK(kept_.reports->append(to_json(report)));
  if (is_new)
    kept_.all_reports.push_back(report);
  else
    *known = report;
  return {};
}

// The first word counts; what is said again changes no number.
Status Reflector::keep_judged(const TaskReport& report) {
  {
    std::lock_guard lock(mutex_);
    WEFT_CHECK(open());
    const auto known = std::find_if(kept_.all_reports.begin(), kept_.all_reports.end(), [&](const TaskReport& one) {
      return one.id == report.id && one.owner == report.owner;
    });
    if (known == kept_.all_reports.end() || known->reaction != UserReaction::kNone) return {};
    WEFT_CHECK(kept_.reports->append(to_json(report)));
    *known = report;
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

Result<Reflection> Reflector::finish(Reflection made) {
  if (made.time.ms == 0) made.time = with_.clock.now();
  {
    std::lock_guard lock(mutex_);
    WEFT_CHECK(open());
    // Two who reflect on one task at once: the first stands.
    if (made.trigger == ReflectionTrigger::kTaskEnd)
      for (const Reflection& known : kept_.all_reflections)
        if (known.trigger == made.trigger && known.owner == made.owner && known.reports == made.reports) return known;
    made.id = "rf" + std::to_string(kept_.all_reflections.size() + 1) + "-" + std::to_string(made.time.ms);
    WEFT_CHECK(kept_.reflections->append(to_json(made)));
    kept_.all_reflections.push_back(made);
  }
  if (with_.sink) WEFT_CHECK(with_.sink(made));
  return made;
}

Result<Reflection> Reflector::task_end(const TaskReport& report, Depth depth) {
  WEFT_CHECK(keep_report(report));
  {
    std::lock_guard lock(mutex_);
    for (const Reflection& known : kept_.all_reflections)
      if (known.trigger == ReflectionTrigger::kTaskEnd && known.owner == report.owner &&
          known.reports == std::vector{report.id})
        return known;
  }
  TaskReport judged = report;
  if (judged.reaction == UserReaction::kNone && !judged.reaction_text.empty())
    take_feedback(feedback_in(judged.reaction_text, judged, with_.likeness), judged);
  Reflection floor = floor_task_end(judged);
  // A clock that is ahead makes no day that has not come.
  if (report.ended < with_.clock.now()) floor.time = report.ended;
  if (depth == Depth::kFloor) return finish(std::move(floor));
  return finish(ask("main", std::span(&judged, 1), 0, {}, std::move(floor)));
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
  TaskReport judged = report;
  take_feedback(said, judged);
  WEFT_CHECK(keep_judged(judged));
  if (depth == Depth::kFloor) return finish(floor_feedback(report, said));
  ChatModel* own = with_.model ? with_.model("user_model") : nullptr;
  return finish(
      ask(own != nullptr ? "user_model" : "fast", std::span(&judged, 1), 0, user_text, floor_feedback(report, said)));
}

Result<std::vector<Reflection>> Reflector::reflections(const std::string& owner) {
  std::lock_guard lock(mutex_);
  WEFT_CHECK(open());
  return of_owner(kept_.all_reflections, owner);
}

Result<std::vector<TaskReport>> Reflector::reports(const std::string& owner) {
  std::lock_guard lock(mutex_);
  WEFT_CHECK(open());
  return of_owner(kept_.all_reports, owner);
}

Result<std::vector<std::string>> Reflector::unreviewed(const std::string& day) {
  std::lock_guard lock(mutex_);
  WEFT_CHECK(open());
  std::set<std::string> owners, reviewed;
  for (const TaskReport& report : kept_.all_reports)
    if (report.learn && day_of(report) == day) owners.insert(report.owner);
  for (const Reflection& reflection : kept_.all_reflections) {
    if (reflection.trigger != ReflectionTrigger::kReview || reflection.reports.empty()) continue;
    for (const TaskReport& report : kept_.all_reports)
      if (report.id == reflection.reports.front() && day_of(report) == day) reviewed.insert(reflection.owner);
  }
  std::vector<std::string> left;
  std::set_difference(owners.begin(), owners.end(), reviewed.begin(), reviewed.end(), std::back_inserter(left));
  return left;
}

Result<ErasedLessons> Reflector::lessons_of(const ErasedMessages& gone) {
  std::lock_guard lock(mutex_);
  WEFT_CHECK(open());
  ErasedLessons lessons{gone.scope.str(), gone.everything, {}, {}, {}, gone.repeats};
  std::map<std::string, Time> last;  // by session: where the report before ended
  for (const TaskReport& report : kept_.all_reports) {
    if (report.owner != gone.scope.str()) continue;
    const Time since = std::exchange(last[report.session], report.ended);
    if (!goes(report, since, gone)) continue;
    lessons.reports.insert(report.id);
    lessons.tasks.insert(report.task);
  }
  for (const Reflection& reflection : kept_.all_reflections)
    if (reflection.owner == gone.scope.str() && goes(reflection, lessons, gone))
      lessons.reflections.insert(reflection.id);
  return lessons;
}

Status Reflector::erase(const ErasedLessons& gone) {
  std::lock_guard lock(mutex_);
  WEFT_CHECK(open());
  const auto rewrite = [&](const std::filesystem::path& path, auto& all, auto& log, const auto& ids) -> Status {
    const std::size_t before = all.size();
    std::erase_if(
        all, [&](const auto& one) { return one.owner == gone.owner && (gone.everything || ids.contains(one.id)); });
    if (all.size() == before) return {};
    std::string text;
    for (const auto& one : all) text += to_json(one) + "\n";
    log = nullptr;
    return write_file(with_.files, path, text, true);
  };
  WEFT_CHECK(rewrite(with_.places.reports(), kept_.all_reports, kept_.reports, gone.reports));
  WEFT_CHECK(rewrite(with_.places.reflections(), kept_.all_reflections, kept_.reflections, gone.reflections));
  if (!kept_.reports || !kept_.reflections) kept_.reflections = nullptr;
  // Rules stand in it in their own words.
  if (gone.everything || !gone.reports.empty() || !gone.reflections.empty())
    WEFT_CHECK(with_.files.remove(agent_files_log(with_.places.workspace, ScopeKey(gone.owner))));
  return open();
}

}  // namespace weft
