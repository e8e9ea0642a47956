#include "growth/report_builder.h"

#include <algorithm>

#include "flow/compaction/failure.h"
#include "text/record.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kLongestText = 4000;  // bytes of a thought, an output, an answer

std::string shortened(std::string_view text) { return std::string(cut_bytes(text, kLongestText)); }

// Arguments as they can stand in JSON, whatever the model wrote.
std::string as_json(std::string_view arguments) {
  JsonWriter out;
  out.json_or_text(arguments);
  return out.take();
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

void ReportBuilder::user(std::string_view text, Time time, std::string_view id) {
  if (is_blank(text)) return;
  if (!report_.task.empty() && !report_.output.empty()) {
    report_.reaction_text = shortened(text);
    if (tasks_ == Tasks::kOne) return;
    begin_next();
  } else if (tasks_ == Tasks::kOneEachAnswer && report_.task.empty() && !report_.steps.empty()) {
    begin_next();  // the text begins in the middle of a task
  }
  if (report_.started.ms == 0) report_.started = time;
  if (report_.task.empty()) {
    report_.task = shortened(text);
    report_.id = id;
  } else if (tasks_ == Tasks::kOneEachAnswer && report_.steps.empty()) {
    report_.task = shortened(report_.task + "\n" + std::string(text));
  }
}

void ReportBuilder::begin_next() {
  std::string session = report_.session;
  std::vector<TaskReport> ended = std::move(ended_);
  ended.push_back(take());
  ended_ = std::move(ended);
  report_.session = std::move(session);
}

void ReportBuilder::thought(std::string_view text) {
  if (is_blank(text)) return;
  if (!thought_.empty()) thought_ += "\n";
  thought_ += shortened(text);
}

ReportStep& ReportBuilder::add_step(Time time) {
  if (report_.started.ms == 0) report_.started = time;
  if (time.ms != 0) report_.ended = time;
  ReportStep step;
  step.number = static_cast<std::int64_t>(report_.steps.size()) + 1;
  step.agent = "main";
  step.thought = std::exchange(thought_, {});
  step.tokens = std::exchange(pending_tokens_, 0);
  report_.tokens += step.tokens;
  report_.steps.push_back(std::move(step));
  begun_.push_back(time);
  return report_.steps.back();
}

// It goes on by itself: what looked like an answer was said on the way, and stands before the step that follows.
void ReportBuilder::take_back_answer() {
  if (report_.output.empty() || !report_.reaction_text.empty()) return;
  if (report_.steps.empty() || !report_.steps.back().tool.empty()) return;
  const ReportStep said = std::move(report_.steps.back());
  report_.steps.pop_back();
  begun_.pop_back();
  report_.tokens -= said.tokens;
  pending_tokens_ += said.tokens;
  const std::string after = std::exchange(thought_, {});
  thought(said.thought);
  thought(said.output);
  thought(after);
}

void ReportBuilder::call(std::string id, std::string name, std::string_view arguments, Time time) {
  take_back_answer();
  ReportStep& step = add_step(time);
  step.tool = std::move(name);
  step.arguments = as_json(shortened(arguments));
  ++report_.tool_calls;
  report_.output.clear();  // it goes on: what was said before was no result
  report_.reaction_text.clear();
  open_[std::move(id)] = report_.steps.size() - 1;
}

void ReportBuilder::output(const std::string& id, std::string_view text, bool failed, Time time) {
  const auto at = open_.find(id);
  if (at != open_.end()) close(at->second, text, failed, time);
}

void ReportBuilder::output_of_last(std::string_view text, bool failed, Time time) {
  for (std::size_t at = report_.steps.size(); at-- > 0;)
    if (!report_.steps[at].tool.empty()) return close(at, text, failed, time);
}

void ReportBuilder::close(std::size_t at, std::string_view text, bool failed, Time time) {
  ReportStep& step = report_.steps[at];
  ToolCall call;
  call.name = step.tool;
  call.arguments = step.arguments;
  Message output = Message::output({}, std::string(text));
  output.failed = failed;
  step.failed = !failure_of(&call, output).empty();
  step.output = shortened(text);
  if (time.ms != 0 && begun_[at].ms != 0 && time.ms > begun_[at].ms)
    step.ms = static_cast<double>(time.ms - begun_[at].ms);
  if (time.ms != 0) report_.ended = time;
}

void ReportBuilder::answer(std::string_view text, Time time) {
  if (is_blank(text)) return;
  ReportStep& step = add_step(time);
  step.output = shortened(text);
  report_.output = step.output;
}

void ReportBuilder::outcome(Outcome outcome, Witness by) {
  if (by < report_.outcome_by || outcome == Outcome::kUnknown) return;
  report_.outcome = outcome;
  report_.outcome_by = by;
}

TaskReport ReportBuilder::take() {
  if (!thought_.empty() || pending_tokens_ != 0) report_.tokens += pending_tokens_;
  TaskReport made = std::move(report_);
  *this = ReportBuilder(tasks_);
  return made;
}

namespace {

void add(ReportBuilder& builder, const Message& message) {
  const Time time = message.time.value_or(Time{});
  switch (message.role) {
    case Role::kSystem: return;
    case Role::kUser: return builder.user(message.content, time);
    case Role::kTool: return builder.output(message.tool_call_id, message.content, message.failed, time);
    case Role::kAssistant: break;
  }
  builder.thought(message.reasoning);
  if (message.tool_calls.empty()) return builder.answer(message.content, time);
  builder.thought(message.content);
  for (const ToolCall& call : message.tool_calls) builder.call(call.id, call.name, call.arguments, time);
}

}  // namespace

std::vector<TaskInSession> tasks_in_session(std::span<const MessageRow> messages, bool is_over) {
  ReportBuilder builder(ReportBuilder::Tasks::kOneEachAnswer);
  std::vector<TaskInSession> tasks;
  UserId asked_by;
  std::int64_t last_seq = 0;
  const auto take = [&](TaskReport report) {
    if (!report.task.empty() && !report.steps.empty()) tasks.push_back({std::move(report), last_seq});
  };
  for (const MessageRow& row : messages) {
    add(builder, row.message);
    for (TaskReport& ended : builder.take_ended()) {
      // In a group another member's message says nothing of the answer.
      if (row.message.sender_id != asked_by) ended.reaction_text.clear();
      take(std::move(ended));
    }
    if (row.message.role == Role::kUser && builder.report().steps.empty()) asked_by = row.message.sender_id;
    last_seq = row.seq;
  }
  if (is_over) take(builder.take());
  return tasks;
}

namespace {

void add_new(const std::vector<std::string>& more, std::vector<std::string>& ids) {
  for (const std::string& id : more)
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
}

}  // namespace

template <>
const Record<LessonsInPrompt>& record<LessonsInPrompt>() {
  static const auto made = Record<LessonsInPrompt>("LessonsInPrompt", "", RecordUse::kBoth)
                               .field("last_seq", &LessonsInPrompt::last_seq, "newest message before the prompt")
                               .field("turn", &LessonsInPrompt::turn, "digest of the user message and its place")
                               .field("rules", &LessonsInPrompt::rules, "ids")
                               .field("skills", &LessonsInPrompt::skills, "ids");
  return made;
}

template <>
const Record<SessionLessons>& record<SessionLessons>() {
  static const auto made = Record<SessionLessons>("SessionLessons", "", RecordUse::kBoth)
                               .field("prompts", &SessionLessons::prompts, "oldest first");
  return made;
}

Status PromptLessons::note(const ScopeKey& scope, const SessionId& session, const LessonsInPrompt& lessons, Time now) {
  if (lessons.empty()) return {};
  const auto written = store_.transact([&](WriteBatch& batch) -> Status {
    WEFT_TRY(auto known, sessions_.find(scope, session.str()));
    SessionLessons all = known ? std::move(known->value) : SessionLessons{};
    if (!all.prompts.empty()) {
      LessonsInPrompt& last = all.prompts.back();
      if (last.turn == lessons.turn && last.rules == lessons.rules && last.skills == lessons.skills) return {};
    }
    all.prompts.push_back(lessons);
    if (all.prompts.size() > kMostPrompts) all.prompts.erase(all.prompts.begin());
    sessions_.put(scope, session.str(), all, known ? known->version : 0, now, batch);
    batch.repeatable = true;
    return {};
  });
  return written.ok() ? Status() : Status(written.error());
}

Status PromptLessons::move_to_reports(const ScopeKey& scope, const SessionId& session, std::span<TaskInSession> tasks,
                                      Time now, WriteBatch& batch) const {
  if (tasks.empty()) return {};
  WEFT_TRY(auto known, sessions_.find(scope, session.str()));
  if (!known) return {};
  SessionLessons left;
  for (const LessonsInPrompt& prompt : known->value.prompts) {
    const auto task = std::find_if(tasks.begin(), tasks.end(),
                                   [&](const TaskInSession& one) { return one.last_seq > prompt.last_seq; });
    if (task == tasks.end()) {
      left.prompts.push_back(prompt);
      continue;
    }
    add_new(prompt.rules, task->report.rules);
    add_new(prompt.skills, task->report.skills);
  }
  if (left.prompts.size() == known->value.prompts.size()) return {};
  if (!left.prompts.empty()) {
    sessions_.put(scope, session.str(), left, known->version, now, batch);
    return {};
  }
  sessions_.expect(scope, session.str(), known->version, batch);
  sessions_.remove(scope, session.str(), batch);
  return {};
}

}  // namespace weft
