#include "engine/historian.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/call_context.h"
#include "base/fault_point.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "flow/historian/facts_by_model.h"
#include "flow/historian/queued_jobs.h"
#include "flow/memory/fact_meaning.h"
#include "flow/memory/profile_merge.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/told_changes.h"
#include "model/rows.h"
#include "ports/files/end_summaries.h"
#include "text/cues.h"
#include "text/plain_words.h"
#include "text/small_talk.h"
#include "text/speaker_prefix.h"
#include "text/time_bounds.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {

// The end of a turn: checked, queued durably, answered. Nothing here waits for a model or for the historian.

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
    core_.tasks->forget(scope, session);
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

// What users state in passing: read out of their messages as soon as they are kept, and once more when their topic
// closes; then the same way into memory as what the end of a turn tells.

namespace {

constexpr std::size_t kMostOfJob = 200;  // messages: an erasure waits for a job
constexpr std::size_t kMostMatters = 500;  // known facts of which a message may tell a change
constexpr std::chrono::seconds kVectorPatience{10};  // of the background, for the sentences of one message
// Facts of one message are numbered by who found them, so that reading it again gives each the number that it had.
constexpr std::int64_t kFirstChange = 40, kFirstWish = 70, kFirstByMeaning = 85, kFirstOfModel = 100;

// "ok" and "thanks" need no job.
bool may_be_read(const Message& message) {
  constexpr std::size_t kShort = 40;
  const std::string& text = message.content;
  return message.role == Role::kUser && !text.empty() && (text.size() > kShort || !says_nothing(text));
}

// Whether a text in which the grammar has found no fact may state something all the same.
bool may_state(const std::string& text, bool by_meaning) {
  return (by_meaning && may_tell_of_people(text)) || tells_of_change(text) || !wish_sentences(text).empty() ||
         may_tell_end(text);
}

// Whether all words of a value stand in a text.
bool holds_words(std::string_view text, std::string_view value) {
  const auto there = index_words(text), wanted = index_words(value);
  return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
    return std::find(there.begin(), there.end(), word) != there.end();
  });
}

// What a value looks like, so that "no, I meant Thursday" replaces a day and not a name.
enum class Looks { kNumber, kName, kWord };

Looks looks_of(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return is_digit(c); })) return Looks::kNumber;
  return !text.empty() && is_upper(text.front()) ? Looks::kName : Looks::kWord;
}

std::string replace_once(const std::string& text, std::string_view from, std::string_view to) {
  const std::string inside = lowered(text), wanted = lowered(from);
  const auto at = wanted.empty() ? std::string::npos : inside.find(wanted);
  if (at == std::string::npos || inside.find(wanted, at + 1) != std::string::npos) return {};
  return text.substr(0, at) + std::string(to) + text.substr(at + from.size());
}

// The last word of a sentence that looks like `right`; empty where several do, or none.
std::string only_alike(const std::string& text, std::string_view right) {
  std::vector<std::string> alike;
  bool first = true;
  for (std::size_t at = 0; (at = text.find_first_not_of(" .,;", at)) != std::string::npos;) {
    const auto end = std::min(text.find_first_of(" .,;", at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!first && looks_of(word) == looks_of(right) && looks_of(word) != Looks::kWord) alike.push_back(word);
    first = false;
    at = end;
  }
  return alike.size() == 1 ? alike.front() : std::string();
}

enum class StatedKind { kProfile, kSaid, kWish };

StatedKind kind_of(const SaidFact& fact) {
  if (fact.attribute.starts_with("wish:")) return StatedKind::kWish;
  return fact.attribute == kSaidAttribute ? StatedKind::kSaid : StatedKind::kProfile;
}

// Those of a kind, each in its place: by its place a fact is numbered.
std::vector<SaidFact> only(std::vector<SaidFact> facts, StatedKind kind) {
  for (SaidFact& fact : facts)
    if (kind_of(fact) != kind) fact.text.clear();
  return facts;
}

// While the model is loading nobody waits for it: the closing of the topic reads the message again.
bool is_ready(const Serving& serving) { return serving.embedder() != nullptr && serving.model.ready(); }

// The centred vectors of sentences, for as long as `serving` lives.
SentenceVector vectors(const Serving& serving, const std::stop_token& stop) {
  const Deadline deadline = Deadline({}, stop).within(kVectorPatience);
  return [&serving, deadline](std::string_view sentence) {
    const auto vector = serving.embedder()->embed(sentence, EmbedUse::kPassage, deadline);
    return vector.ok() ? serving.model.similarity->centre(*vector, language_of(sentence)) : Vector();
  };
}

// In a group nobody corrects or ends what others have told of themselves.
bool may_be_of(const SaidJob& said, const MessageRow& row, const KnownFact& fact) {
  if (said.group_id.empty()) return true;
  return !fact.sender.empty() && fact.sender == sender_of(said, row.message);
}

SaidJob said_of(const TopicKey& key) {
  SaidJob said;
  said.scope = key.scope;
  said.session = key.session;
  ScopeParts parts = parts_of_scope(key.scope);
  said.group_id = std::move(parts.group);
  said.user_id = std::move(parts.user);
  return said;
}

}  // namespace

void SaidMemory::add_job(const RequestContext& request, const SessionId& session, StreamChange& change) {
  if (!core_.config.cognitive.learn_in_passing || !core_.remembers(request.scope.key())) return;
  SaidJob said{request.scope.key(),
               request.scope.user().str(),
               request.scope.group().str(),
               session,
               {},
               false,
               core_.clock->now(),
               {}};
  const auto& active = change.batch.message_active;
  said.left = std::any_of(active.begin(), active.end(), [](const auto& one) { return !one.second; });
  const bool back = std::any_of(active.begin(), active.end(), [](const auto& one) { return one.second; });
  // The job decides whether a message states a fact, so no caller waits for that.
  for (const MessageRow& row : change.batch.messages)
    if (may_be_read(row.message)) said.messages.push_back(row.message.id);
  if (back)
    for (const Observation& one : change.report.observations)
      if (std::find(said.messages.begin(), said.messages.end(), one.id) == said.messages.end())
        said.messages.push_back(one.id);
  if (said.messages.empty() && !said.left) return;
  const std::vector<MessageId> messages = std::move(said.messages);
  std::span<const MessageId> rest(messages);
  do {
    const auto some = rest.first(std::min(rest.size(), kMostOfJob));
    rest = rest.subspan(some.size());
    said.messages.assign(some.begin(), some.end());
    change.batch.jobs.push_back(to_job(said, core_.clock->now().ms));
    said.left = false;
  } while (!rest.empty());
}

Status SaidMemory::work_off_said(const Job& job, std::stop_token stop) {
  WEFT_TRY(SaidJob said, read_said_job(job));
  const auto pass = core_.erasure_gate.work(said.scope);
  const CallScope call(Account{said.scope.str(), {}});
  // Erased while it waited for the pass.
  WEFT_TRY(const bool there, core_.store->jobs().contains(job.id));
  if (!there) return {};
  if (said.left) WEFT_CHECK(withdraw_facts(said));
  WEFT_TRY(said.members, Members::read(*core_.store, said.scope));
  return read_said_messages(said, false, stop);
}

// A topic's messages, with a model where there is one: it sees what the grammar does not.
Status SaidMemory::learn_from_topic(const TopicKey& key, std::stop_token stop) {
  if (!core_.config.cognitive.learn_in_passing || !core_.remembers(key.scope)) return {};
  WEFT_TRY(const auto blocks, blocks_to_word(core_.historian_ports(), key));
  SaidJob said = said_of(key);
  WEFT_TRY(said.members, Members::read(*core_.store, said.scope));
  for (const LogicalBlock& block : blocks)
    if (block.user_block) said.messages.push_back(block.user_block->id);
  return read_said_messages(said, true, stop);
}

Status SaidMemory::read_said_messages(const SaidJob& said, bool with_model, std::stop_token stop) {
  WEFT_TRY(auto rows, core_.store->messages().get(said.scope, said.messages));
  // Clients number their messages from one in each session.
  std::erase_if(rows, [&](const MessageRow& row) {
    return row.session != said.session || !row.active || row.message.role != Role::kUser;
  });
  // In the order of the log: of two facts of one moment the one said later holds.
  std::stable_sort(rows.begin(), rows.end(), [](const MessageRow& a, const MessageRow& b) { return a.seq < b.seq; });
  for (MessageRow& row : rows)
    row.message.content = std::string(without_speaker(row.message.content, row.message.name));
  const auto serving = core_.change->serving();
  const bool by_meaning = serving->embedder() != nullptr && fact_weights(serving->embedder()->name()) != nullptr;
  for (const MessageRow& row : rows) {
    if (stop.stop_requested()) return unavailable("the engine is stopping");
    SaidThings things = read_said(row.message.content, speaker_of(said, row.message));
    // When the topic closes, every message is read in full.
    const bool states = !things.facts.empty() || things.correction || may_state(row.message.content, by_meaning);
    if (!with_model && !states) continue;
    if (things.correction)
      if (auto fact = corrected(said, row, *things.correction)) things.facts.push_back(std::move(*fact));
    auto changes = ends_of(said, row, things.facts);
    const auto others = changes_of(said, row, things.facts);
    changes.insert(changes.end(), others.begin(), others.end());
    // What has an attribute does not wait for the embedder.
    WEFT_CHECK(keep_facts(said, row, only(things.facts, StatedKind::kProfile), 1, {}, stop));
    WEFT_CHECK(keep_facts(said, row, changes, kFirstChange, {}, stop));
    const auto meant = meant_facts_of(said, row, things.facts, stop);
    WEFT_CHECK(keep_facts(said, row, only(things.facts, StatedKind::kSaid), 1, {}, stop));
    WEFT_CHECK(keep_facts(said, row, meant, kFirstByMeaning, {}, stop));
    const auto wishes = wishes_of(said, row, things.facts, stop);
    WEFT_CHECK(keep_facts(said, row, only(things.facts, StatedKind::kWish), 1, {}, stop));
    WEFT_CHECK(keep_facts(said, row, wishes, kFirstWish, {}, stop));
  }
  ChatModel* const model = core_.historian();
  if (!with_model || model == nullptr || rows.empty()) return {};
  const auto limit = std::chrono::milliseconds(core_.config.cognitive.model_timeout_ms);
  const auto found = facts_by_model(
      *model, rows, [&](const MessageRow& row) { return speaker_of(said, row.message); },
      Deadline({}, stop).within(limit));
  ++core_.metrics.model_calls;
  if (!found.why_floor.empty()) log_warning("historian.floor", "facts were read without the model: " + found.why_floor);
  for (const MessageRow& row : rows)
    if (const auto at = found.facts.find(row.seq); at != found.facts.end())
      WEFT_CHECK(keep_facts(said, row, at->second, kFirstOfModel, {{}, model->name(), found.prompt}, stop));
  return {};
}

// Each fact once: what is there is left as it is, with what has become of it since.
Status SaidMemory::keep_facts(const SaidJob& said, const MessageRow& row, const std::vector<SaidFact>& facts,
                              std::int64_t first, const Writing& by, std::stop_token stop) {
  if (facts.empty()) return {};
  // Reading took its time: meanwhile the conversation may have left the message.
  WEFT_TRY(const auto rows, core_.store->messages().get(said.scope, std::span(&row.message.id, 1)));
  const auto still = [&row](const MessageRow& one) { return one.session == row.session && one.active; };
  if (std::none_of(rows.begin(), rows.end(), still)) return {};
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const SaidFact& fact = facts[i];
    if (fact.text.empty() || !may_be_kept(fact, speaker_of(said, row.message))) continue;
    EndJob end = fact_job(said, row, fact, first + static_cast<std::int64_t>(i), core_.config.cognitive.agent);
    end.model = by.model;
    end.prompt = by.prompt;
    const ItemId id(end.event_id());
    WEFT_TRY(const auto known, core_.store->items().rows_of(said.scope, std::span(&id, 1)));
    WEFT_TRY(const auto items, core_.store->items().get(said.scope, known));
    if (!items.empty() && items.front().active) continue;
    // "I left Acme" matters where Acme is known; "I left the keys" is no fact.
    const auto is_meant = [&](const KnownFact& one) {
      if (!may_be_of(said, row, one)) return false;
      const auto parts = split_list(fact.value, '|');
      return std::any_of(parts.begin(), parts.end(),
                         [&](std::string_view part) { return holds_words(one.text, part); });
    };
    if (fact.attribute == "*" && fact.over.empty() && !core_.facts->newest(said.scope, is_meant)) continue;
    WEFT_CHECK(ends_.take_in_end(end, nullptr, nullptr, stop));
  }
  return {};
}

// What the speaker no longer does or has ends what is known of it. Where the grammar has read the same clause, its fact
// does that.
std::vector<SaidFact> SaidMemory::ends_of(const SaidJob& said, const MessageRow& row, std::vector<SaidFact>& facts) {
  std::vector<SaidFact> ends;
  const UserId sender = sender_of(said, row.message);
  if (sender.empty() || !may_tell_end(row.message.content)) return ends;
  auto known = core_.facts->holding(said.scope, sender, row.seq, kMostMatters);
  std::erase_if(known, [&](const KnownFact& one) { return row.message.time && one.time > *row.message.time; });
  std::vector<KnownMatter> matters;
  for (const KnownFact& one : known) matters.push_back({one.text, one.attribute, one.first});
  const std::string speaker = speaker_of(said, row.message);
  for (const ToldEnd& end : told_ends(row.message.content, matters, speaker)) {
    const KnownFact& old = known[end.known.front()];
    std::vector<std::string> over;
    for (const std::size_t one : end.known) over.push_back(known[one].id.str());
    const std::string attribute = old.attribute == kSaidAttribute ? std::string("*") : old.attribute;
    const auto same = std::find_if(facts.begin(), facts.end(), [&](const SaidFact& fact) {
      return !fact.attribute.starts_with("wish:") && end.quote.find(trim_marks(fact.quote)) != std::string::npos;
    });
    if (same == facts.end()) {
      ends.push_back({in_third_person(end.quote, speaker), end.quote, attribute, end.quote, std::move(over)});
      continue;
    }
    if (same->attribute == kSaidAttribute) same->attribute = attribute;
    same->over.insert(same->over.end(), over.begin(), over.end());
  }
  return ends;
}

// What the grammar does not understand may still say that something known is otherwise now. Where it has read a fact of
// the same matter, that one takes the place of what was known.
std::vector<SaidFact> SaidMemory::changes_of(const SaidJob& said, const MessageRow& row, std::vector<SaidFact>& facts) {
  std::vector<SaidFact> changes;
  if (!tells_of_change(row.message.content)) return changes;
  const UserId sender = sender_of(said, row.message);
  if (sender.empty()) return changes;  // whose facts have changed is not known
  const auto known = core_.facts->holding(said.scope, sender, row.seq, kMostMatters);
  const auto told = core_.facts->told_by(said.scope, said.session, row.message.id);
  std::vector<KnownMatter> matters;
  for (const KnownFact& one : known) matters.push_back({one.text, one.attribute, one.first});
  for (const ToldChange& change : told_changes(row.message.content, matters)) {
    const KnownFact& old = known[change.known];
    if (told.contains(old.attribute)) continue;
    // "I am learning Swahili now" may be one more.
    const auto statements = read_statements(old.text);
    const bool one_of_many = !statements.empty() && !statements.front().single;
    if (one_of_many && !change.value.empty() && !tells_of_replacement(change.quote)) continue;
    const auto same = std::find_if(facts.begin(), facts.end(), [&](const SaidFact& fact) {
      return change.quote.find(fact.quote) != std::string::npos &&
             (fact.attribute == old.attribute || holds_words(fact.text, change.value));
    });
    if (same != facts.end()) {
      same->attribute = old.attribute;
      same->over.push_back(old.id.str());
      continue;
    }
    changes.push_back({change.text.empty() ? in_third_person(change.quote, speaker_of(said, row.message)) : change.text,
                       change.quote,
                       old.attribute,
                       change.value.empty() ? change.quote : change.value,
                       {old.id.str()}});
  }
  return changes;
}

// What lasts, in words that no grammar has; and what the grammar took for it though its sentence means no such thing.
std::vector<SaidFact> SaidMemory::meant_facts_of(const SaidJob& said, const MessageRow& row,
                                                 std::vector<SaidFact>& facts, std::stop_token stop) {
  const auto serving = core_.change->serving();
  const FactWeights* weights = is_ready(*serving) ? fact_weights(serving->embedder()->name()) : nullptr;
  if (weights == nullptr) return {};
  return judge_facts(row.message.content, speaker_of(said, row.message), *weights, vectors(*serving, stop), facts);
}

// Wishes in words that no grammar has: where the embedder is ready, and once for each message, since the closing of its
// topic reads it again.
std::vector<SaidFact> SaidMemory::wishes_of(const SaidJob& said, const MessageRow& row, std::vector<SaidFact>& facts,
                                            std::stop_token stop) {
  const auto serving = core_.change->serving();
  const WishWeights* weights = is_ready(*serving) ? wish_weights(serving->embedder()->name()) : nullptr;
  if (weights == nullptr) return {};
  return judge_wishes(row.message.content, speaker_of(said, row.message), *weights, vectors(*serving, stop), facts);
}

// "No, I meant Thursday": the fact of this conversation that it is about, told anew.
std::optional<SaidFact> SaidMemory::corrected(const SaidJob& said, const MessageRow& row,
                                              const SaidCorrection& correction) {
  const auto fits = [&](const KnownFact& fact) {
    if (fact.session != said.session || fact.attribute.empty() || fact.position >= row.seq) return false;
    if (!may_be_of(said, row, fact)) return false;
    const std::string wrong = correction.wrong.empty() ? only_alike(fact.text, correction.right) : correction.wrong;
    return !replace_once(fact.text, wrong, correction.right).empty();
  };
  const auto fact = core_.facts->newest(said.scope, fits);
  if (!fact) return std::nullopt;
  const std::string wrong = correction.wrong.empty() ? only_alike(fact->text, correction.right) : correction.wrong;
  return SaidFact{replace_once(fact->text, wrong, correction.right), row.message.content, fact->attribute,
                  correction.right};
}

// A fact may have been written just after its message was left: it goes like those that were there before.
Status SaidMemory::leave_late_facts(const SaidJob& said, const std::vector<ItemRow>& own, std::set<std::string>& gone) {
  std::vector<MessageId> sources;
  for (const ItemRow& row : own)
    if (row.active && row.item.event && row.item.event->is_fact())
      sources.insert(sources.end(), row.item.sources.begin(), row.item.sources.end());
  if (sources.empty()) return {};
  WEFT_TRY(const auto messages, core_.store->messages().get(said.scope, sources));
  std::set<std::string> there;
  for (const MessageRow& row : messages)
    if (row.active && row.session == said.session) there.insert(row.message.id.str());
  WriteBatch batch;
  for (const ItemRow& row : own) {
    if (!row.active || !row.item.event || !row.item.event->is_fact()) continue;
    const auto stays = [&there](const MessageId& id) { return there.contains(id.str()); };
    if (std::any_of(row.item.sources.begin(), row.item.sources.end(), stays)) continue;
    batch.item_active.emplace_back(row.row, false);
    gone.insert(row.item.id.str());
  }
  if (batch.item_active.empty()) return {};
  const auto pass = core_.change->gate().enter();
  WEFT_CHECK(core_.store->write(batch));
  core_.change->serving()->memory.set_active(said.scope, batch.item_active);
  return {};
}

// A branch was left: what was stated on it goes out of the profile, and what it had replaced holds again.
Status SaidMemory::withdraw_facts(const SaidJob& said) {
  WEFT_TRY(const auto own, core_.store->items().of_session(said.scope, said.session));
  std::set<std::string> gone;
  for (const ItemRow& row : own)
    if (!row.active && row.item.event && row.item.event->is_fact()) gone.insert(row.item.id.str());
  WEFT_CHECK(leave_late_facts(said, own, gone));
  if (gone.empty()) return {};
  // What they had replaced may stand in any session.
  WEFT_TRY(auto events, core_.store->items().of_kind(said.scope, ItemKind::kEvent, 1'000'000));
  const bool group = !said.group_id.empty();
  const EntityKey entity{group ? EntityType::kGroup : EntityType::kUser, group ? said.group_id : said.user_id};
  const std::vector<std::string> ids(gone.begin(), gone.end());
  WEFT_TRY(const ProfileSubject subject, profiles_.subject_of(entity));
  const auto stored =
      core_.profile_files->update(entity, core_.clock->now(), [&](std::optional<Profile> old) -> Result<Profile> {
        if (!old) return not_found("there is no profile");
        old->body = remove_sources(old->body, ids, subject).body;
        return std::move(*old);
      });
  if (stored.ok())
    WEFT_CHECK(profiles_.index_profile(*stored));
  else if (stored.error().code != ErrorCode::kNotFound)
    log_warning("profile.update", stored.error().message);
  WriteBatch batch;
  for (ItemRow& row : events) {
    if (!row.item.event || !gone.contains(row.item.event->superseded_by.str())) continue;
    row.item.event->superseded_by = ItemId();
    row.item.event->valid_until.reset();
    batch.items.push_back(std::move(row));
  }
  if (!batch.items.empty()) WEFT_CHECK(core_.keep_written(batch));
  core_.facts->forget(said.scope);
  return {};
}

}  // namespace weft
