// The end of a turn: checked, queued durably, answered. Nothing here waits for a model or for the historian.
#include "engine/ends.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <set>

#include "base/call_context.h"
#include "base/fault_point.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "engine/engine_core.h"

#include "flow/historian/queued_jobs.h"
#include "ports/files/end_summaries.h"
#include "text/time_zone.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kRecent = 32;  // messages in which the user's is looked for
constexpr std::size_t kMostText = 64 * 1024;  // bytes of each text

// Calls that no output has followed, but for the one that ends the turn.
std::string unanswered_call(const std::vector<MessageRow>& recent) {
  std::set<std::string> answered;
  for (auto row = recent.rbegin(); row != recent.rend(); ++row) {
    const Message& message = row->message;
    if (message.role == Role::kUser) break;
    if (message.role == Role::kTool) answered.insert(message.tool_call_id);
    for (const ToolCall& call : message.tool_calls)
      if (call.name != "end" && !answered.contains(call.id)) return call.name;
  }
  return {};
}

EndSummary old_form(const EndJob& end) {
  EndSummary summary;
  summary.summary = end.action_summary;
  if (!end.new_info.empty()) summary.summary += (summary.summary.empty() ? "" : " ") + end.new_info;
  summary.time = end.time;
  summary.has_time = true;
  summary.group_id = end.group_id;
  summary.user_id = end.user_id;
  summary.place = end.location;
  return summary;
}

// The entry of the log that says that a turn of the session ended.
LogEntry entry_of(const EndJob& end) { return {end.scope, 0, LogKind::kEnded, end.session, {}, 0}; }

Status check_texts(const EndRequest& what) {
  for (const auto& [name, text] : {std::pair{"action_summary", &what.action_summary}, {"new_info", &what.new_info}}) {
    if (text->size() > kMostText)
      return too_large(std::string("end: ") + name + " has " + std::to_string(text->size()) + " bytes",
                       "say in a sentence what was done; at most " + std::to_string(kMostText) + " bytes are taken");
    if (find_invalid_utf8(*text)) return invalid_argument(std::string("end: ") + name + " is not UTF-8");
  }
  if (!what.request_id.empty()) WEFT_CHECK(check_id(what.request_id, "request_id"));
  if (!what.sender_id.empty()) WEFT_CHECK(check_id(what.sender_id, "sender_id"));
  for (const MessageId& id : what.message_ids) WEFT_CHECK(check_id(id.str(), "message_ids"));
  return {};
}

}  // namespace

Result<EndReport> Ends::end(const RequestContext& request, const SessionId& session, const EndRequest& what) {
  const Timed timed(core_.metrics.end_time);
  WEFT_CHECK(check_id(session.str(), "session id"));
  WEFT_CHECK(check_texts(what));
  EndReport report;
  EndRequest asked = what;
  if (!asked.summary.empty()) {
    report.notices.push_back("\"summary\" is deprecated: use \"action_summary\"");
    if (asked.action_summary.empty()) asked.action_summary = asked.summary;
  }
  const ScopeKey scope = request.scope.key();
  WEFT_TRY(const auto recent, core_.store->messages().recent(scope, session, kRecent));
  if (const std::string call = unanswered_call(recent); !asked.force && !call.empty())
    return conflict("end: the call of \"" + call + "\" has no output yet",
                    "observe its output first, or set \"force\"");
  WEFT_TRY(EndJob end, end_job_of(request, session, asked, recent));
  // "Yesterday" is the yesterday of where it was said.
  WEFT_TRY(end.time.offset_minutes, zone_offset(end.timezone, end.time.ms));
  bool task_ended = false;
  if (!asked.action_summary.empty() || !asked.new_info.empty()) {
    WEFT_TRY(task_ended, keep_end(end, asked.task_done, report));
  }
  if (!report.queued) {
    WriteBatch batch;
    WEFT_TRY(task_ended, add_end(end, asked.task_done, batch));
    WEFT_CHECK(core_.store->write(batch));
  }
  if (asked.task_done) {
    core_.tasks->forget();
    core_.described_tools.lock()->erase(prompt_key(scope, session));
    report.notices.push_back(task_ended ? "the session's task is ended" : "\"task_done\": this session has no task");
  }
  WEFT_CHECK(fault_point(FaultPoint::kEndQueued));
  return report;
}

// Gives whether a task was ended.
Result<bool> Ends::keep_end(EndJob& end, bool task_done, EndReport& report) {
  if (!core_.remembers(end.scope)) {
    WEFT_CHECK(core_.end_summaries->add(old_form(end)));
    report.notices.push_back((core_.config.cognitive.enabled ? "cognitive.scopes leaves " + end.scope.str() + " out"
                                                             : std::string("cognitive.enabled is false")) +
                             ": kept in end_summaries.json");
    return false;
  }
  WEFT_TRY(const bool task_ended, queue_end(end, task_done));
  report.queued = true;
  report.job = end_job_id(end.scope, end.request_id, end.end_seq);
  report.event_id = end.event_id();
  core_.jobs_came();
  ++core_.metrics.ends;
  return task_ended;
}

// Adds what is written with each end: its entry of the log and, if it is done, the end of the session's task. Gives
// whether there was a task.
Result<bool> Ends::add_end(const EndJob& end, bool task_done, WriteBatch& batch) {
  batch.log.push_back(entry_of(end));
  if (!task_done) return false;
  return core_.tasks->add_end(end.scope, end.session, core_.clock->now(), batch);
}

Result<EndReport> Ends::import_summary(const RequestContext& request, const std::string& summary,
                                       std::optional<Time> time, const std::string& place) {
  EndRequest what;
  what.action_summary = summary;
  WEFT_CHECK(check_texts(what));
  EndJob end;
  end.scope = request.scope.key();
  end.user_id = request.scope.user().str();
  end.group_id = request.scope.group().str();
  end.session = SessionId("end_summaries");
  const std::string key = summary + "\n" + (time ? format_time(*time) : "") + "\n" + place;
  end.request_id = "summary-" + fmt::format("{:016x}", XXH3_64bits(key.data(), key.size()));
  end.end_seq = 1;
  end.action_summary = summary;
  end.sender_id = request.scope.user();
  end.agent = core_.config.cognitive.agent;
  end.location = place;
  // Without a time of its own a summary is from before now; its words for times cannot be resolved then.
  end.time = time.value_or(Time{});
  end.timezone = zone_of(end.time);
  EndReport report;
  report.job = end_job_id(end.scope, end.request_id, end.end_seq);
  report.event_id = end.event_id();
  WEFT_TRY(const bool done, end_is_done(*core_.store, report.job));
  WEFT_TRY(const bool waits, core_.store->jobs().contains(report.job));
  if (done || waits) return report;
  WriteBatch batch;
  batch.jobs = {to_job(end, core_.clock->now().ms)};
  WEFT_CHECK(core_.store->write(batch));
  report.queued = true;
  core_.jobs_came();
  return report;
}

// Sets the sender of an end to the author of its messages. In a group with several authors, or an author without a
// known id, the sender stays empty.
Status Ends::name_sender(const RequestContext& request, const EndRequest& what, EndJob& end) const {
  end.sender_id = request.scope.user();
  WEFT_TRY(auto rows, core_.store->messages().get(end.scope, end.message_ids));
  std::erase_if(rows,
                [&](const MessageRow& row) { return row.session != end.session || row.message.role != Role::kUser; });
  if (!rows.empty()) {
    const Message& said = rows.back().message;
    const bool one = std::all_of(rows.begin(), rows.end(),
                                 [&](const MessageRow& row) { return row.message.sender_id == said.sender_id; });
    if (request.scope.is_group()) end.sender_id = one ? said.sender_id : UserId();
    if (one) end.sender_name = said.name;
  }
  if (!what.sender_id.empty() && what.sender_id != end.sender_id.str()) {
    // A name that somebody else is called by is not that of the one who is meant.
    if (request.scope.is_group() && !end.sender_id.empty()) end.sender_name.clear();
    end.sender_id = UserId(what.sender_id);
  }
  if (!what.sender_name.empty()) end.sender_name = what.sender_name;
  return {};
}

// What the caller left open is taken from the user's last message.
Result<EndJob> Ends::end_job_of(const RequestContext& request, const SessionId& session, const EndRequest& what,
                                const std::vector<MessageRow>& recent) const {
  const auto last = std::find_if(recent.rbegin(), recent.rend(),
                                 [](const MessageRow& row) { return row.message.role == Role::kUser; });
  const Message* user = last == recent.rend() ? nullptr : &last->message;
  EndJob end;
  end.scope = request.scope.key();
  end.user_id = request.scope.user().str();
  end.group_id = request.scope.group().str();
  end.session = session;
  end.request_id = !what.request_id.empty() ? what.request_id : user != nullptr ? user->id.str() : session.str();
  end.action_summary = what.action_summary;
  end.new_info = what.new_info;
  end.message_ids = what.message_ids;
  if (end.message_ids.empty() && user != nullptr) end.message_ids.push_back(user->id);
  WEFT_CHECK(name_sender(request, what, end));
  end.agent = !what.agent.empty() ? what.agent : core_.config.cognitive.agent;
  end.location = what.location;
  end.time = what.time ? *what.time : user != nullptr && user->time ? *user->time : core_.clock->now();
  end.timezone = !what.timezone.empty() ? what.timezone : zone_of(end.time);
  return end;
}

// Ends of one request are numbered, under a lock that other requests do not meet, so that callers can share one flush.
// A message may say one new thing: the job's marks are new, or the job is refused.
Result<bool> Ends::queue_end(EndJob& end, bool task_done) {
  const std::lock_guard lock(
      end_locks_[std::hash<std::string>{}(end.scope.str() + end.request_id) % end_locks_.size()]);
  bool task_ended = false;
  const auto written = core_.store->transact([&](WriteBatch& batch) -> Status {
    // Another request may have been first with the same number, or with the same message.
    WEFT_TRY(end.end_seq, free_number(end));
    WEFT_CHECK(check_infos(end));
    batch.claimed_jobs = {to_job(end, core_.clock->now().ms)};
    WEFT_TRY(task_ended, add_end(end, task_done, batch));
    batch.claimed_marks = info_marks(end);
    // Between the look for a free number and the write another program may have queued that number, and worked it off.
    if (core_.store->is_shared()) batch.claimed_marks.push_back(queued_mark(batch.claimed_jobs.front().id));
    return {};
  });
  if (!written.ok()) return written.error();
  return task_ended;
}

// The first free number of a request. Taken numbers are consecutive, so a binary search finds it: a request with a
// thousand ends costs about twenty look-ups.
Result<std::int64_t> Ends::free_number(const EndJob& end) {
  const auto is_taken = [&](std::int64_t number) -> Result<bool> {
    const JobId id = end_job_id(end.scope, end.request_id, number);
    WEFT_TRY(const bool waits, core_.store->jobs().contains(id));
    if (waits) return true;
    WEFT_TRY(const bool done, end_is_done(*core_.store, id));
    if (done) return true;
    EndJob one = end;
    one.end_seq = number;
    return core_.store->has_mark(erased_mark(end.scope, one.event_id()));
  };
  std::int64_t taken = 0, free = 1;
  for (;; taken = free, free *= 2) {
    WEFT_TRY(const bool also, is_taken(free));
    if (!also) break;
  }
  while (free - taken > 1) {
    const std::int64_t middle = taken + (free - taken) / 2;
    WEFT_TRY(const bool also, is_taken(middle));
    (also ? taken : free) = middle;
  }
  return free;
}

Status Ends::check_infos(const EndJob& end) {
  const auto marks = info_marks(end);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    WEFT_TRY(const bool given, core_.store->has_mark(marks[i]));
    if (given)
      return conflict("end: the message \"" + end.message_ids[i].str() + "\" of the session \"" + end.session.str() +
                          "\" has given a new_info already",
                      "at most one new_info a message; leave it empty, or name the message it is from in message_ids");
  }
  return {};
}

Result<std::size_t> Ends::erase_jobs(const std::function<bool(const Job&)>& wanted) {
  WEFT_TRY(const auto jobs, core_.store->jobs().list());
  WriteBatch batch;
  for (const Job& job : jobs) {
    if (!wanted(job)) continue;
    batch.erased_jobs.push_back(job.id);
    batch.erased_marks.push_back(queued_mark(job.id));
    const auto end = job.kind == "end" ? read_end_job(job) : Result<EndJob>(not_found("no end"));
    if (!end.ok()) continue;
    const auto marks = info_marks(*end);
    batch.erased_marks.insert(batch.erased_marks.end(), marks.begin(), marks.end());
  }
  if (batch.empty()) return std::size_t{0};
  WEFT_CHECK(core_.store->write(batch));
  core_.job_mirror.wake();
  return batch.erased_jobs.size();
}

// The same event in the private memory of who said it, where the operator has granted that.
std::optional<ItemRow> Ends::sender_view(const EndJob& end, const ItemRow& event) {
  const bool granted = core_.config.cognitive.sender_view || core_.config.cognitive.speaker_profiles;
  if (!granted || end.group_id.empty() || end.sender_id.empty()) return std::nullopt;
  const auto scope = Scope::private_of(end.sender_id);
  if (!scope.ok()) return std::nullopt;
  ItemRow view = event;
  view.row = 0;
  view.scope = scope->key();
  view.item.id = sender_view_id(event.item);
  view.item.session = SessionId();
  view.item.event->supersedes = ItemId();
  return view;
}

Status Ends::work_off_end(const Job& job, std::stop_token stop) {
  WEFT_TRY(const EndJob end, read_end_job(job));
  const auto pass = core_.erasure_gate.work(end.scope);
  const CallScope call(Account{end.scope.str(), {}});
  // Erased while it waited for the pass.
  WEFT_TRY(const bool there, core_.store->jobs().contains(job.id));
  WEFT_TRY(const bool done, end_is_done(*core_.store, job.id));
  if (!there || done) return {};
  return take_in_end(end, core_.historian(), &job, stop);
}

Status Ends::take_in_end(const EndJob& end, ChatModel* model, const Job* job, std::stop_token stop) {
  constexpr int kTries = 5;
  EndPorts ports{core_.config, *core_.store, model, core_.metrics, {}, {}};
  ports.judge = [&](std::string_view text, const GateContext& context) {
    return core_.facts->judge(end.scope, text, end.time, context);
  };
  // What a user says is no echo of a prompt that only the model saw.
  if (end.kind != "fact") ports.recalled = core_.prompts.recalled(prompt_key(end.scope, end.session));
  const Deadline deadline =
      Deadline({}, stop).within(std::chrono::milliseconds(core_.config.cognitive.model_timeout_ms));
  WEFT_TRY(const EndResult result, process_end(ports, end, deadline));
  for (int tries = 1;; ++tries) {
    const Status kept = keep_event(end, result, job, stop);
    // A person may have changed the profile in between.
    if (kept.ok() || kept.error().code != ErrorCode::kConflict || tries == kTries) return kept;
  }
}

Status Ends::keep_event(const EndJob& end, const EndResult& result, const Job* job, std::stop_token stop) {
  WriteBatch batch;
  batch.repeatable = true;  // the job makes it again
  if (result.event) {
    ItemRow event = *result.event;
    auto view = sender_view(end, event);
    if (event.item.event->has_new_info) WEFT_CHECK(profiles_.update_profiles(end, event, view, batch, stop));
    if (view) batch.items.push_back(std::move(*view));
    batch.items.push_back(std::move(event));
  }
  if (job != nullptr) {
    batch.finished_jobs = {{job->id, job->attempts}};
    batch.marks = info_marks(end);
    batch.marks.push_back(done_mark(job->id));
  }
  if (batch.empty()) return {};
  WEFT_CHECK(core_.keep_written(batch));
  profiles_.show(batch);
  for (const ItemRow& item : batch.items) core_.facts->add(item.scope, item.item);
  return {};
}

}  // namespace weft
