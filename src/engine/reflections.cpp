#include "engine/reflections.h"

#include <algorithm>
#include <map>

#include "base/call_context.h"
#include "base/log.h"
#include "engine/agents.h"
#include "engine/engine_core.h"
#include "engine/lessons.h"
#include "engine/run_streams.h"
#include "flow/stream/session_state.h"
#include "growth/agent_files.h"
#include "growth/learning_plan.h"
#include "growth/rule_words.h"
#include "growth/trace_findings.h"
#include "growth/transcripts.h"
#include "model/rows.h"

namespace weft {
namespace {

constexpr std::size_t kMessagesOfSession = 1000;
constexpr std::chrono::hours kBetweenLooks{1};
constexpr std::size_t kMostFailed = 16;  // steps that wait to be looked at: of older ones a run has gone on
constexpr std::int64_t kDayMs = 24 * 60 * 60 * std::int64_t{1000};

constexpr std::chrono::seconds kModelLimit{60};

constexpr std::chrono::seconds kLikenessLimit{10};

constexpr std::size_t kMessagesOfTurn = 40;  // among which a use of a tool is looked for
constexpr std::int64_t kNextNumbers = 2000;  // among which the message after a topic is looked for

bool is_boundary(const LogEntry& entry) {
  return entry.kind == LogKind::kEnded || entry.kind == LogKind::kTopicClosed || entry.kind == LogKind::kTaskClosed;
}

bool uses_tool(const MessageRow& row) { return row.message.role == Role::kTool || !row.message.tool_calls.empty(); }

}  // namespace

Reflections::Reflections(EngineCore& core, Rules& rules, Skills& skills, RunStreams& runs, ActiveRuns& active)
    : core_(core),
      rules_(rules),
      skills_(skills),
      runs_(runs),
      active_(active),
      learning_(core.config.workspace),
      likeness_(core, kLikenessLimit),
      budget_(core.config, *core.clock),
      reflector_(ports()) {}

ReflectionPorts Reflections::ports() {
  return {*core_.store,
          *core_.clock,
          likeness_,
          [this](const std::string& role) -> ChatModel* {
            // A role of its own only where one is configured: `chat` gives the main model else.
            if (role == "user_model" && !core_.config.roles.contains(role)) return nullptr;
            const bool own = role == "main" && core_.config.roles.contains("reflection");
            return budget_.counted(core_.models->chat(own ? "reflection" : role));
          },
          [this](const std::string& owner, const std::string& task) -> std::vector<Rule> {
            const auto request = request_of_scope(ScopeKey(owner));
            return request.ok() ? rules_.rules_for(*request, task).value_or({}) : std::vector<Rule>();
          },
          [this](const Reflection& reflection) -> Status {
            WEFT_TRY(const RequestContext request, request_of_scope(ScopeKey(reflection.owner)));
            return rules_.take_reflection(request, reflection);
          },
          kModelLimit,
          [this](const TaskReport& report) { return count(report); }};
}

// Messages that a former version kept get no report.
Status Reflections::open() {
  constexpr const char *kUnreportedBefore = "tasks_unreported_before", *kFormerRecords = "session_report";
  WEFT_TRY(std::string known, core_.store->note(kUnreportedBefore));
  if (known.empty()) {
    WEFT_TRY(const StoreCounts counts, core_.store->counts());
    known = std::to_string(counts.last_seq);
    WriteBatch former;
    WEFT_TRY(const auto rows, core_.store->documents().of_kind(kFormerRecords, 0));
    for (const DocumentRow& row : rows) former.erased_documents.push_back({row.scope, row.kind, row.id});
    if (!former.empty()) WEFT_CHECK(core_.store->write(former));
    WEFT_CHECK(core_.store->set_note(kUnreportedBefore, known));
  }
  unreported_before_ = std::atoll(known.c_str());
  return reflector_.take_former_logs(disk(), std::filesystem::path(core_.config.workspace) / "reflections");
}

// A turn is looked back at by a model where one is named for that, and only while the day's budget lasts.
Reflector::Depth Reflections::depth_of_turn() {
  const bool by_model = core_.config.roles.contains("reflection") && budget_.open();
  return by_model ? Reflector::Depth::kModel : Reflector::Depth::kFloor;
}

Status Reflections::count(const TaskReport& report) {
  constexpr std::size_t kReportsCompared = 500;  // only the newest reports are compared when a skill is derived
  WEFT_TRY(const RequestContext request, request_of_scope(ScopeKey(report.owner)));
  if (!learning_.from(report)) return {};
  // One that fails keeps none of the others from being counted.
  const Status skills = skills_.count_skills(request, report);
  const Status rules = rules_.count_report(request, report);
  WEFT_CHECK(skills);
  WEFT_CHECK(rules);
  if (witnessed_outcome(report) != Outcome::kSuccess) return {};
  WEFT_TRY(const auto lately, reflector_.reports(report.owner, kReportsCompared));
  return skills_.crystallise(report, lately);
}

Status Reflections::run_ended(const TaskReport& report) {
  if (!learning_.from(ScopeKey(report.owner))) return {};
  const auto pass = core_.erasure_gate.call(ScopeKey(report.owner));
  if (!learning_.from(report)) return reflector_.keep(report);
  const auto made = reflector_.task_end(report, Reflector::Depth::kFloor);
  return made.ok() ? Status() : Status(made.error());
}

void Reflections::said_after_end(const RequestContext& request, const std::string& run, const std::string& text) {
  const ScopeKey scope = request.scope.key();
  if (!learning_.from(scope, SessionId(run))) return;
  const auto pass = core_.erasure_gate.call(scope);
  const auto report = reflector_.report(scope.str(), run);
  if (!report.ok()) return log_warning("reflection", run + ": " + report.error().message);
  if (!*report) return;
  const auto taken = reflector_.feedback(**report, text, Reflector::Depth::kFloor);
  if (!taken.ok() && taken.error().code != ErrorCode::kInvalidArgument)
    log_warning("reflection", run + ": " + taken.error().message);
}

void Reflections::step_failed(const TaskReport& so_far, const ReportStep& failed) {
  // The main model is at work on the very run: a second opinion is asked of a model of its own.
  if (!core_.config.roles.contains("fast") || !budget_.open()) return;
  if (!learning_.from(so_far)) return;
  {
    auto waiting = failed_.lock();
    if (waiting->size() >= kMostFailed) waiting->pop_front();
    waiting->push_back({so_far, failed});
  }
  core_.reflector.wake();
}

void Reflections::reflect_on(const FailedStep& step) {
  const auto pass = core_.erasure_gate.work(ScopeKey(step.so_far.owner));
  const auto made = reflector_.error(step.so_far, step.failed);
  if (!made.ok()) return log_warning("reflection", step.so_far.run + ": " + made.error().message);
  if (made->by != MadeBy::kModel || made->suggestions.empty()) return;
  LessonTold lesson;
  lesson.reflection = made->id;
  lesson.text = made->suggestions.front().strategy;
  tell(step.so_far.run, lesson);
}

// Into the context of a run that is still at work.
void Reflections::tell(const std::string& run, const LessonTold& lesson) {
  if (!active_.at_work(run)) return;
  const auto bus = runs_.open(run);
  if (!bus.ok()) return;
  if (const auto told = (*bus)->emit(BusEventType::kLesson, to_json(lesson)); !told.ok())
    log_warning("agent", "run " + run + ": " + told.error().message);
}

Result<ErasedLessons> Reflections::lessons_of(const ErasedMessages& gone) {
  std::erase_if(*failed_.lock(), [&](const FailedStep& step) { return step.so_far.owner == gone.scope.str(); });
  return reflector_.lessons_of(gone);
}

Result<Reflection> Reflections::reflect(const RequestContext& request, const TaskReport& report) {
  TaskReport own = report;
  if (own.owner.empty()) own.owner = request.scope.key().str();
  if (own.owner != request.scope.key().str())
    return permission("task report " + own.id + ": its owner is \"" + own.owner + "\", the caller \"" +
                          request.scope.key().str() + "\"",
                      "call it for that scope");
  WEFT_CHECK(learning_.check(own));
  if (own.ended.ms == 0) own.ended = core_.clock->now();
  return reflector_.task_end(own);
}

Result<ImportedRuns> Reflections::import_runs(const RequestContext& request, const std::string& text,
                                              const std::string& file, bool learn) {
  if (!learning_.from(request.scope.key())) return learning_is_off(request.scope.key());
  WEFT_TRY(Transcripts read, read_transcripts(text, {.file = file}));
  for (const auto& [kind, count] : read.left_out)
    log_info("import.left_out", file + ": " + std::to_string(count) + " × " + kind);
  ImportedRuns made{std::string(to_string(read.format)), {}, std::move(read.problems), {}};
  for (TaskReport& report : read.reports) {
    report.owner = request.scope.key().str();
    if (report.ended.ms == 0) report.ended = core_.clock->now();
    report.learn = report.learn && learn;
    if (!learning_.from(report)) {
      WEFT_CHECK(reflector_.keep(report));
      made.kept.push_back(std::move(report));
      continue;
    }
    WEFT_TRY(Reflection reflection, reflector_.task_end(report, Reflector::Depth::kFloor));
    made.reflections.push_back(std::move(reflection));
  }
  return made;
}

std::vector<TaskReport> Reflections::of_day(const std::vector<TaskReport>& all, const std::string& day) const {
  std::vector<TaskReport> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const TaskReport& report) { return report.learn && format_date(report.ended) == day; });
  return found;
}

Result<Reflection> Reflections::review(const RequestContext& request, const std::string& day) {
  if (!learning_.from(request.scope.key())) return learning_is_off(request.scope.key());
  const std::string wanted = day.empty() ? format_date(core_.clock->now()) : day;
  if (const auto time = parse_time(wanted); !time.ok() || wanted.size() != 10)
    return invalid_argument("review: \"" + wanted + "\" is no day", "YYYY-MM-DD");
  WEFT_TRY(const auto all, reflector_.reports(request.scope.key().str()));
  const auto reports = of_day(all, wanted);
  if (reports.empty()) return not_found("review: no task of " + request.scope.key().str() + " ended on " + wanted);
  return reflector_.review(reports);
}

Result<Reflection> Reflections::feedback(const RequestContext& request, const std::string& report,
                                         const std::string& text) {
  if (!learning_.from(request.scope.key())) return learning_is_off(request.scope.key());
  WEFT_TRY(const auto found, reflector_.report(request.scope.key().str(), report));
  if (!found) return not_found("feedback: there is no task report \"" + report + "\"");
  WEFT_CHECK(learning_.check(*found));
  return reflector_.feedback(*found, text);
}

Result<std::vector<Reflection>> Reflections::reflections(const RequestContext& request) {
  return reflector_.reflections(request.scope.key().str());
}

Result<std::vector<TaskReport>> Reflections::reports(const RequestContext& request) {
  return reflector_.reports(request.scope.key().str());
}

// The log of files written for other agents quotes rules.
Status Reflections::erase(const ErasedLessons& gone) {
  WEFT_CHECK(reflector_.erase(gone));
  if (gone.empty()) return {};
  return disk().remove(agent_files_log(core_.config.workspace, ScopeKey(gone.owner)));
}

Result<WriteBatch> Reflections::read(const LogPart& part) {
  const ScopeKey& scope = part.scope;
  const CallScope call(Account{scope.str(), {}});
  WriteBatch batch;
  WEFT_CHECK(close_judged(part, batch));
  for (const LogEntry& entry : part.entries) {
    if (entry.kind == LogKind::kEnded) WEFT_CHECK(close_turn(scope, entry.session, batch));
    if (entry.kind == LogKind::kTopicClosed) WEFT_CHECK(close_topic(scope, entry.session, TopicId(entry.body), batch));
    if (entry.kind == LogKind::kTaskClosed) WEFT_CHECK(learn_from(scope, entry.body));
  }
  return batch;
}

// One boundary at a time: the reports of one must be kept before the next looks for tasks without a report, and a model
// may be asked about each task.
std::size_t Reflections::share(std::span<const LogEntry> entries) const {
  const auto first = std::find_if(entries.begin(), entries.end(), is_boundary);
  return first == entries.end() ? entries.size() : static_cast<std::size_t>(first - entries.begin()) + 1;
}

// A user who judges an answer has ended the task: it is learnt from at once, not when its topic closes. If the last
// entry is a boundary of the same session, the boundary closes the task. In a group somebody else may have spoken.
Status Reflections::close_judged(const LogPart& part, WriteBatch& batch) {
  if (!parts_of_scope(part.scope).group.empty()) return {};
  std::map<SessionId, std::int64_t> judged_at;
  for (const MessageRow& row : part.messages)
    if (row.message.role == Role::kUser && judged(row.message.content) != FeedbackSign::kNone)
      judged_at[row.session] = row.seq;
  if (is_boundary(part.entries.back())) judged_at.erase(part.entries.back().session);
  for (const auto& [session, seq] : judged_at) {
    WEFT_TRY(auto before, messages_until(part.scope, session, seq, kMessagesOfTurn));
    WEFT_CHECK(close_tasks(part.scope, session, std::move(before), false, batch));
  }
  return {};
}

Status Reflections::close_turn(const ScopeKey& scope, const SessionId& session, WriteBatch& batch) {
  WEFT_TRY(auto messages, core_.store->messages().recent(scope, session, kMessagesOfSession));
  return close_tasks(scope, session, std::move(messages), true, batch);
}

// A topic that was cut off for its length may end in the middle of a task.
Status Reflections::close_topic(const ScopeKey& scope, const SessionId& session, const TopicId& id, WriteBatch& batch) {
  WEFT_TRY(const auto topic, core_.store->streams().topic(scope, session, id));
  WEFT_TRY(const auto blocks, core_.store->streams().topic_blocks(scope, session, id));
  if (!topic || blocks.empty()) return {};
  const std::int64_t last = blocks.back().last_seq;
  // A use of a tool is looked for in this topic, and in the turn before it, whose task may still be open.
  WEFT_TRY(const auto own, core_.store->messages().range(scope, session, blocks.front().first_seq, last));
  WEFT_TRY(auto messages, messages_until(scope, session, last, own.size() + kMessagesOfTurn));
  // The user's next message may judge the last task.
  WEFT_TRY(auto next, core_.store->messages().range(scope, session, last + 1, last + kNextNumbers));
  if (!next.empty() && next.front().message.role == Role::kUser) messages.push_back(std::move(next.front()));
  return close_tasks(scope, session, std::move(messages), topic->reason != FlushReason::kRelay, batch);
}

// The newest `most` messages up to a number; if one of them used a tool, as many as a task may have.
Result<std::vector<MessageRow>> Reflections::messages_until(const ScopeKey& scope, const SessionId& session,
                                                            std::int64_t last, std::size_t most) {
  WEFT_TRY(auto messages, core_.store->messages().before(scope, session, last + 1, most));
  if (std::none_of(messages.begin(), messages.end(), uses_tool) || messages.size() < most) return messages;
  return core_.store->messages().before(scope, session, last + 1, std::max(most, kMessagesOfSession));
}

// Runs report their own tasks, and another system's conversations were worked on without the rules of this workspace.
// Talk without tools teaches nothing of how to work.
Status Reflections::close_tasks(const ScopeKey& scope, const SessionId& session, std::vector<MessageRow> messages,
                                bool is_over, WriteBatch& batch) {
  if (is_imported(session) || learning_.is_of_run(scope, session)) return {};
  WEFT_TRY(const ReportedTasks before, reflector_.reported(scope, session));
  const std::int64_t reported = std::max(before.last_seq, unreported_before_);
  std::erase_if(messages, [&](const MessageRow& row) { return row.seq <= reported; });
  if (messages.empty()) return {};
  if (!learning_.from(scope, session)) {
    if (std::none_of(messages.begin(), messages.end(), uses_tool)) return {};
    return reflector_.pass_over(scope, session, messages.back().seq, batch);
  }
  const MessageRow& next = messages.front();
  const bool is_private = parts_of_scope(scope).group.empty();
  if (is_private && !before.newest.empty() && !before.next_seen && next.message.role == Role::kUser &&
      next.parent == before.last_seq) {
    WEFT_TRY(const auto report, reflector_.report(scope.str(), before.newest));
    if (report) WEFT_CHECK(take_feedback_on(*report, next.message.content));
  }
  return reflector_.close_tasks(scope, session, messages, is_over, batch);
}

// Taking the same feedback twice, as after a crash, changes nothing.
Status Reflections::take_feedback_on(const TaskReport& report, const std::string& text) {
  if (!learning_.from(report)) return {};
  const auto said = reflector_.feedback(report, text, depth_of_turn());
  return said.ok() || said.error().code == ErrorCode::kInvalidArgument ? Status() : Status(said.error());
}

// A report may have been erased since.
Status Reflections::learn_from(const ScopeKey& scope, const std::string& id) {
  WEFT_TRY(const auto report, reflector_.report(scope.str(), id));
  if (!report || !learning_.from(*report)) return {};
  const auto made = reflector_.reflect_on(*report, depth_of_turn());
  if (!made.ok()) return made.error();
  return count(*report);
}

Status Reflections::review_yesterday(std::stop_token stop) {
  const Time now = core_.clock->now();
  const std::string yesterday = format_date({now.ms - kDayMs, now.offset_minutes});
  if (reviewed_on_ == yesterday) return {};
  WEFT_TRY(const auto owners, reflector_.unreviewed(yesterday));
  for (const std::string& owner : owners) {
    if (stop.stop_requested()) return {};
    if (!learning_.from(ScopeKey(owner))) continue;
    const auto pass = core_.erasure_gate.work(ScopeKey(owner));
    const CallScope call(Account{owner, {}});
    WEFT_TRY(const auto all, reflector_.reports(owner));
    const auto day = of_day(all, yesterday);
    if (day.empty()) continue;
    // Once a day and owner: the floor's stands where nothing is left for a model.
    const auto made = reflector_.review(day, budget_.open() ? Reflector::Depth::kModel : Reflector::Depth::kFloor);
    if (!made.ok()) return made.error();
  }
  reviewed_on_ = yesterday;
  return {};
}

std::optional<std::chrono::milliseconds> Reflections::work(std::stop_token stop) {
  std::deque<FailedStep> failed;
  std::swap(failed, *failed_.lock());
  for (const FailedStep& step : failed) {
    if (stop.stop_requested()) return kBetweenLooks;
    reflect_on(step);
  }
  if (const auto done = review_yesterday(stop); !done.ok()) log_warning("daily_review", done.error().message);
  return kBetweenLooks;
}

}  // namespace weft
