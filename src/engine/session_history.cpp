#include "engine/session_history.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/call_context.h"
#include "base/fault_point.h"
#include "base/log.h"
#include "base/strings.h"
#include "engine/engine_core.h"
#include "engine/memory_files.h"
#include "flow/compaction/anchors.h"
#include "flow/compaction/compact.h"
#include "flow/compaction/tool_output.h"
#include "flow/context/assembly.h"
#include "flow/context/build_context.h"
#include "flow/context/fence.h"
#include "flow/historian/queued_jobs.h"
#include "flow/stream/conversation.h"
#include "model/message_reader.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr const char* kKind = "compaction";
constexpr std::size_t kMost = 1'000'000;
constexpr std::size_t kInMemory = 1024;

// Other sessions may have messages of the same ids.
Result<std::unordered_set<std::int64_t>> numbers_of(Store& store, const ScopeKey& scope, const SessionId& session,
                                                    const std::vector<MessageId>& ids) {
  std::unordered_set<std::int64_t> numbers;
  if (ids.empty()) return numbers;
  WEFT_TRY(const auto rows, store.messages().get(scope, ids));
  for (const MessageRow& row : rows)
    if (row.session == session) numbers.insert(row.seq);
  return numbers;
}

}  // namespace

// A record that was written again (undone) counts as it stands now, in the place of its first version.
Result<std::vector<Compaction>> Compactions::all(const ScopeKey& scope, const SessionId& session) {
  WEFT_TRY(const auto rows, store_.documents().versions(scope, kKind, session.str(), 1, kMost));
  std::vector<Compaction> records;
  for (const DocumentRow& row : rows) {
    WEFT_TRY(auto record, parse_compaction(row.body));
    const auto known =
        std::find_if(records.begin(), records.end(), [&](const Compaction& one) { return one.id == record.id; });
    if (known == records.end())
      records.push_back(std::move(record));
    else
      *known = std::move(record);
  }
  return records;
}

Result<std::shared_ptr<const LiveCompaction>> Compactions::live(const ScopeKey& scope, const SessionId& session) {
  const SessionKey key(scope, session);
  std::uint64_t before = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = live_.find(key); at != live_.end()) return at->second;
    before = changes_;
  }
  WEFT_TRY(const auto records, all(scope, session));
  std::shared_ptr<LiveCompaction> found;
  for (auto record = records.rbegin(); record != records.rend() && !found; ++record) {
    if (record->undone) continue;
    found = std::make_shared<LiveCompaction>();
    found->record = *record;
    WEFT_TRY(found->covered, numbers_of(store_, scope, session, record->summary.covers));
    WEFT_TRY(found->shortened, numbers_of(store_, scope, session, record->shortened));
    if (!found->covered.empty()) found->last_covered = *std::max_element(found->covered.begin(), found->covered.end());
  }
  const std::lock_guard lock(mutex_);
  if (live_.size() >= kInMemory) live_.clear();
  if (changes_ == before) live_[key] = found;
  return std::shared_ptr<const LiveCompaction>(found);
}

Result<DocumentRow> Compactions::row_of(const ScopeKey& scope, const SessionId& session, const Compaction& record,
                                        Time now) {
  WEFT_TRY(const auto newest, store_.documents().newest(scope, kKind, session.str()));
  return DocumentRow{scope,
                     kKind,
                     session.str(),
                     newest ? newest->version + 1 : 1,
                     now,
                     std::string(to_string(record.summary.by)),
                     to_json(record)};
}

void Compactions::changed(const ScopeKey& scope, const SessionId& session) {
  const std::lock_guard lock(mutex_);
  ++changes_;
  live_.erase(SessionKey(scope, session));
}

void Compactions::forget(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  ++changes_;
  std::erase_if(live_, [&](const auto& entry) { return entry.first.first == scope; });
}

// What of a session a prompt is built from: the history that the caller sends along, recognised in the store, or as
// much of the session's living branch as can matter for the window.

namespace {

constexpr std::int64_t kOverhead = 8;  // tokens of a message's frame and its calls, when only its texts were counted
constexpr std::size_t kMostSummaries = 64;

// Whether the history ends with this very input, or with the work that it has led to so far.
bool ends_with_input(const std::vector<HistoryMessage>& history, std::string_view input) {
  for (auto entry = history.rbegin(); entry != history.rend(); ++entry) {
    const Message& message = entry->message;
    if (message.role == Role::kUser) return trimmed(message.content) == trimmed(input);
    if (message.role == Role::kAssistant && message.tool_calls.empty()) return false;
  }
  return false;
}

/// Which messages of a branch are loaded: all from `first` on, and the one that their turn began with.
struct Wanted {
  std::int64_t first = 0;  ///< number of the first message of the end of the branch; 0: nothing
  std::int64_t request = 0;  ///< of the user's message that it goes on from, where that stands before; 0: it does not
  Omitted omitted;
};

// From the end, until all that a prompt can hold is there, and at least so many steps: these stay whatever they take.
// None of them begins with an output.
Wanted choose(const std::vector<PathNode>& path, const LiveCompaction* live, std::int64_t tokens, std::int64_t steps) {
  Wanted wanted;
  const auto covered = [&](const PathNode& node) {
    return live != nullptr && node.seq <= live->last_covered && live->covered.contains(node.seq);
  };
  std::size_t at = path.size();
  bool begins_with_user = false;
  bool in_step = false;
  for (std::int64_t left = tokens; at > 0 && (left > 0 || steps > 0 || in_step); --at) {
    const PathNode& node = path[at - 1];
    if (covered(node)) continue;
    left -= node.tokens + kOverhead;
    wanted.first = node.seq;
    begins_with_user = node.role == Role::kUser;
    in_step = node.role == Role::kTool;
    if (!in_step) --steps;
  }
  for (; at > 0; --at) {
    const PathNode& node = path[at - 1];
    if (covered(node)) continue;
    if (!begins_with_user && node.role == Role::kUser) {
      wanted.request = node.seq;
      begins_with_user = true;
      continue;
    }
    ++wanted.omitted.messages;
    wanted.omitted.tokens += node.tokens + kOverhead;
  }
  wanted.omitted.before = wanted.omitted.messages > 0 ? wanted.first : 0;
  return wanted;
}

}  // namespace

// A compaction's summary takes the place of what it covers.
Status Histories::load_history(const ScopeKey& scope, const SessionId& session, ContextInput& input) {
  WEFT_TRY(const Budget budget, make_budget(core_.config, input.window, input.output_tokens, input.other_tokens));
  const auto live = compaction_for(scope, session);
  Wanted wanted;
  {
    WEFT_TRY(auto held, core_.sessions->hold(scope, session));
    wanted = choose(held->path, live.get(), budget.usable + budget.usable / 2, core_.config.context.keep_steps + 1);
  }
  input.history.clear();
  input.omitted = wanted.omitted;
  if (wanted.first == 0) return {};
  std::vector<MessageRow> rows;
  if (wanted.request != 0) {
    WEFT_TRY(rows, core_.store->messages().range(scope, session, wanted.request, wanted.request));
  }
  WEFT_TRY(auto end,
           core_.store->messages().range(scope, session, wanted.first, std::numeric_limits<std::int64_t>::max()));
  std::move(end.begin(), end.end(), std::back_inserter(rows));
  WEFT_TRY(const Members members, Members::read(*core_.store, scope));
  for (MessageRow& row : rows) {
    if (row.message.role == Role::kSystem) continue;
    if (members.need_labels()) members.label(row.message);
    const MessageId id = row.message.id;
    input.history.push_back({std::move(row.message), row.seq, id, 0});
  }
  if (live) apply_compaction(*live, input);
  return {};
}

// The caller's own history, with the numbers of those messages that the session holds.
Status Histories::recognise_history(const ScopeKey& scope, const SessionId& session, const ContextRequest& what,
                                    ContextInput& input) {
  WEFT_TRY(auto held, core_.sessions->hold(scope, session));
  std::vector<Message> messages;
  std::vector<bool> spoken;  // false: a text of the caller's program alone, or an erased message: no session has it
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < what.history.size(); ++i) {
    Message message = what.history[i];
    const auto said = what.said.find(i);
    if (said != what.said.end()) message.content = said->second;
    spoken.push_back(message.role != Role::kSystem && (said == what.said.end() || !said->second.empty()));
    if (!spoken.back()) continue;
    messages.push_back(std::move(message));
    places.push_back(i);
  }
  WEFT_TRY(const LeftHistory left, without_erased(*core_.store, scope, messages));
  std::vector<std::uint64_t> digests;
  for (const std::size_t place : places) spoken[place] = false;
  for (const std::size_t at : left.places) {
    spoken[places[at]] = true;
    digests.push_back(digest_of(messages[at]));
  }
  const Alignment alignment = align_history(held->path, digests);
  std::size_t place = 0;
  for (std::size_t i = 0; i < what.history.size(); ++i) {
    const Message& message = what.history[i];
    // At the head it is the caller's system prompt; later on it belongs where it was said.
    if (message.role == Role::kSystem && input.history.empty()) {
      input.system.push_back(message);
      continue;
    }
    const bool known = spoken[i] && place < alignment.known;
    const PathNode none, &node = known ? held->path[alignment.offset + place] : none;
    input.history.push_back({message, node.seq, node.id, 0});
    if (spoken[i]) ++place;
  }
  return {};
}

Status Histories::check(const ContextRequest& what) const {
  if (!enum_of<SystemMessages>(what.system_messages))
    return invalid_argument("context: system_messages is \"" + what.system_messages + "\"", "one of: one, several");
  const std::int64_t window = core_.window_of(what.window, what.model);
  const std::int64_t most = std::min(core_.catalogue.of(what.model).output, window / 2);
  const auto budget =
      make_budget(core_.config, window, what.output_tokens > 0 ? what.output_tokens : most, what.other_tokens);
  return budget.ok() ? Status() : Status(budget.error());
}

Result<ContextInput> Histories::context_input(const RequestContext& request, const SessionId& session,
                                              const ContextRequest& what) {
  const ScopeKey scope = request.scope.key();
  ContextInput input;
  input.session = session;
  const ModelTraits traits = core_.catalogue.of(what.model);
  input.window = core_.window_of(what.window, what.model);
  input.output_tokens = what.output_tokens > 0 ? what.output_tokens : std::min(traits.output, input.window / 2);
  input.other_tokens = what.other_tokens;
  WEFT_CHECK(check(what));
  auto messages = enum_of<SystemMessages>(what.system_messages);
  if (messages == SystemMessages::kUnknown) messages = traits.system_messages;
  input.several_system_messages = messages == SystemMessages::kSeveral;
  std::string system = what.system;
  if (what.history.empty()) {
    WEFT_CHECK(load_history(scope, session, input));
    if (system.empty()) {
      WEFT_TRY(const auto row, core_.store->streams().session(scope, session));
      if (row) system = row->system;
    }
  }
  if (!system.empty()) input.system.push_back(make_message(Role::kSystem, std::move(system)));
  if (!what.history.empty()) {
    WEFT_CHECK(recognise_history(scope, session, what, input));
    if (const auto live = compaction_for(scope, session)) apply_compaction(*live, input);
  }
  if (!what.input.empty() && !ends_with_input(input.history, what.input))
    input.history.push_back({make_message(Role::kUser, what.input), 0, MessageId(), 0});
  const TokenCounter& counter = core_.models->tokens_for(what.model, traits.vocabulary);
  for (HistoryMessage& entry : input.history) entry.tokens = sent_tokens(entry.message, counter);
  return input;
}

// The compaction that counts for a prompt: one of a branch that was left does not.
std::shared_ptr<const LiveCompaction> Histories::compaction_for(const ScopeKey& scope, const SessionId& session) {
  const auto live = compactions_.live(scope, session);
  if (!live.ok()) {
    log_warning("compaction.read", live.error().message);
    return nullptr;
  }
  if (*live == nullptr) return nullptr;
  auto held = core_.sessions->hold(scope, session);
  if (!held.ok()) return nullptr;
  const auto& path = (*held)->path;
  const bool living =
      std::any_of(path.begin(), path.end(), [&](const PathNode& node) { return node.seq == (*live)->last_covered; });
  return living ? *live : nullptr;
}

// Takes out what the summary stands for.
void Histories::apply_compaction(const LiveCompaction& live, ContextInput& input) {
  std::erase_if(input.history, [&](const HistoryMessage& entry) { return live.covered.contains(entry.seq); });
  for (HistoryMessage& entry : input.history) {
    if (!live.shortened.contains(entry.seq)) continue;
    entry.message.content = short_output(entry.message.content, entry.stored.str());
    entry.message.raw.clear();
    entry.tokens = 0;
  }
  input.compacted = CompactedPart{live.record.id, render_summary(live.record.summary)};
}

std::vector<std::string> Histories::summaries_before(const ScopeKey& scope, const SessionId& session,
                                                     std::int64_t seq) {
  std::vector<std::string> texts;
  const auto items = core_.store->items().before(scope, session, ItemKind::kNarrative, seq, kMostSummaries);
  if (!items.ok()) return texts;
  for (const ItemRow& item : *items) texts.push_back(item.item.text);
  return texts;
}

std::vector<std::string> Histories::originals_of(const ScopeKey& scope, const SessionId& session,
                                                 std::span<const MessageId> ids) {
  std::vector<std::string> texts;
  const auto rows = core_.store->messages().get(scope, ids);
  if (!rows.ok()) return texts;
  for (const MessageRow& row : *rows)
    if (row.session == session) texts.push_back(row.message.content);
  return texts;
}

namespace {

constexpr std::size_t kMostPrepared = 256;
constexpr double kLeastTarget = 0.25;  // of the target stays for the history, whatever stands beside it
constexpr std::int64_t kMostInForeground = 4;  // windows; a longer session is put in short in the background

// Ids that the same session at the same place gets again, in the form of UUIDs.
std::function<std::string()> ids_for(std::string key) {
  return [key = std::move(key), count = 0]() mutable {
    const std::string one = key + "#" + std::to_string(++count);
    const XXH128_hash_t hash = XXH3_128bits(one.data(), one.size());
    const std::string hex = fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
    return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" +
           hex.substr(20);
  };
}

// What stands beside the history takes its part of what is aimed at.
CompactOptions options_of(const Config& config, const Budget& budget, const std::string& focus, std::int64_t beside) {
  const CompactionSettings& settings = config.compaction;
  CompactOptions options;
  options.keep_turns = static_cast<std::size_t>(std::max<std::int64_t>(2, settings.keep_turns));
  options.most_share = std::clamp(settings.summary_share, 0.01, 0.9);
  options.least_share = options.most_share / 2;
  options.target_tokens =
      std::max(budget.of(settings.target_ratio) - beside, budget.of(settings.target_ratio * kLeastTarget));
  options.flush_timeout = std::chrono::milliseconds(settings.flush_timeout_ms);
  options.compact_timeout = std::chrono::milliseconds(settings.compact_timeout_ms);
  options.retries = static_cast<int>(settings.retries);
  options.backoff = std::chrono::milliseconds(settings.backoff_ms);
  options.fail_closed = settings.fail_closed;
  options.focus = focus;
  return options;
}

// In a group who made the call need not have said it.
EndJob flush_job(const Scope& scope, const SessionId& session, const Candidate& candidate, const MessageRow* source,
                 const std::string& agent) {
  EndJob job;
  job.scope = scope.key();
  job.user_id = scope.user().str();
  job.group_id = scope.group().str();
  job.session = session;
  job.request_id = candidate.candidate_id;
  job.end_seq = 1;
  job.new_info = candidate.candidate_text;
  job.message_ids = candidate.source_message_ids;
  if (!scope.is_group()) job.sender_id = scope.user();
  if (scope.is_group() && source != nullptr) job.sender_id = source->message.sender_id;
  job.agent = agent;
  job.time = source != nullptr && source->message.time ? *source->message.time : candidate.created_at;
  if (source != nullptr) job.sender_name = source->message.name;
  if (job.sender_id.empty() && job.sender_name.empty())
    job.sender_name = language_of(candidate.candidate_text) == Language::kChinese ? "用户" : "the user";
  return job;
}

}  // namespace

Result<Compacted> SessionCompactions::make_compaction(const RequestContext& request, const SessionId& session,
                                                      const CompactWish& wish) {
  const ScopeKey scope = request.scope.key();
  WEFT_TRY(const Budget budget, make_budget(core_.config, wish.window));
  WEFT_TRY(const auto rows, core_.store->messages().branch(scope, session, false));
  const auto live = histories_.compaction_for(scope, session);
  CompactInput input;
  input.session = session;
  if (request.scope.is_group()) input.source = SessionId(scope.str());  // "group:" and its id
  for (const MessageRow& row : rows)
    if (row.message.role != Role::kSystem) input.history.push_back(row.message);
  if (live) input.earlier = &live->record;
  input.system = workspace_rules(core_);
  for (const Anchor& anchor : workspace_anchors(core_)) input.anchors.push_back(anchor.text);
  input.task = wish.task;
  if (input.task.empty()) {
    WEFT_TRY(SessionTask task, core_.tasks->task(scope, session));
    input.task = std::move(task.state);
  }
  input.options = options_of(core_.config, budget, wish.focus, wish.beside);
  input.now = core_.clock->now();
  const std::string place = rows.empty() ? std::string() : std::to_string(rows.back().seq);
  const CompactPorts ports{core_.models->tokens(), wish.model, ids_for(scope.str() + session.str() + place),
                           [](const Summary& summary) { return fence_summary(render_summary(summary)); }};
  return weft::compact(input, ports, Deadline(request.deadline, request.cancel));
}

Status SessionCompactions::keep_compaction(const RequestContext& request, const SessionId& session,
                                           const Compacted& made) {
  const ScopeKey scope = request.scope.key();
  const Compaction& record = made.record;
  const Time now = core_.clock->now();
  WriteBatch batch;
  WEFT_TRY(auto row, compactions_.row_of(scope, session, record, now));
  batch.documents.push_back(std::move(row));
  // What was said there is found by its summary too.
  ItemRow item;
  item.scope = scope;
  item.item.id = ItemId("compaction:" + record.id);
  item.item.kind = ItemKind::kNarrative;
  item.item.session = session;
  item.item.text = render_summary(record.summary);
  item.item.time = record.summary.time;
  item.item.sources = record.summary.covers;
  item.item.by = record.summary.by;
  if (!record.summary.covers.empty()) {
    WEFT_TRY(const auto first, core_.store->messages().get(scope, session, record.summary.covers.front()));
    if (first) item.item.position = first->seq;
  }
  item.terms = index_terms(item.item.text);
  batch.items.push_back(std::move(item));
  WEFT_CHECK(promote(request.scope, session, record, batch));
  WEFT_CHECK(core_.keep_written(batch));
  kill_point(FaultPoint::kCompactionKept);
  if (!batch.jobs.empty()) core_.jobs_came();
  compactions_.changed(scope, session);
  ++core_.metrics.compactions;
  log_compaction(scope, session, record);
  prepared_.lock()->erase(SessionKey(scope, session));  // made for what was sent before
  return {};
}

// For people; the rows are the truth, so a disk that cannot take it is only told.
void SessionCompactions::log_compaction(const ScopeKey& scope, const SessionId& session, const Compaction& record) {
  if (const Status written = write_session_log(scope, session); !written.ok())
    log_warning("compaction.log", written.error().message);
  const Value head(
      ValueObject{{"scope", scope.str()}, {"session", session.str()}, {"time", format_time(core_.clock->now())}});
  std::string line = to_json(head);
  line.pop_back();
  if (const Status written = core_.session_log->append_summary(line + ",\"compaction\":" + to_json(record) + "}");
      !written.ok())
    log_warning("compaction.log", written.error().message);
}

Status SessionCompactions::write_session_log(const ScopeKey& scope, const SessionId& session) {
  const std::lock_guard lock(session_log_mutex_);
  WEFT_TRY(const auto lines, core_.session_log->lines(scope, session.str()));
  WEFT_TRY(const auto all, core_.store->messages().tree(scope, session));
  std::vector<MessageId> missing;
  for (std::size_t i = lines; i < all.size(); ++i) missing.push_back(all[i].message.id);
  WEFT_TRY(const auto rows, core_.store->messages().get(scope, missing));
  std::vector<std::string> text;
  for (const MessageRow& row : rows)
    if (row.session == session) text.push_back(to_json(row.message));
  return core_.session_log->append(scope, session.str(), text);
}

// Candidates are no memories yet: the historian judges them like anything else, or MEMORY.md does, which merges and
// marks what contradicts it.
Status SessionCompactions::promote(const Scope& scope, const SessionId& session, const Compaction& record,
                                   WriteBatch& batch) {
  const Promotion promotion = core_.config.compaction.promote;
  if (promotion == Promotion::kHold || !core_.remembers(scope.key())) return {};
  for (const Candidate& candidate : record.candidates) {
    const auto sources = core_.store->messages().get(scope.key(), candidate.source_message_ids);
    const MessageRow* source = sources.ok() && !sources->empty() ? &sources->front() : nullptr;
    EndJob job = flush_job(scope, session, candidate, source, core_.config.cognitive.agent);
    job.kind = promotion == Promotion::kAppend ? kAppendKind : "flush";
    if (promotion == Promotion::kAppend && !candidate.constraint_tags.empty())
      job.attribute = candidate.constraint_tags.front();
    const JobId id = end_job_id(job.scope, job.request_id, job.end_seq);
    WEFT_TRY(const bool done, end_is_done(*core_.store, id));
    if (!done) batch.jobs.push_back(to_job(job, core_.clock->now().ms));
  }
  return {};
}

Result<Compaction> SessionCompactions::compact(const RequestContext& request, const SessionId& session,
                                               const CompactRequest& what) {
  WEFT_CHECK(check_id(session.str(), "session id"));
  const auto pass = core_.erasure_gate.call(request.scope.key());  // what is erased meanwhile must not come back
  WEFT_TRY(const Compacted made,
           make_compaction(request, session,
                           {core_.window_of(what.window, {}), what.focus, {}, core_.models->chat("fast"), 0}));
  if (!made.changed) {
    const auto& problems = made.record.report.problems;
    return conflict("compact: there is nothing to put in short" + (problems.empty() ? "" : ": " + problems.front()),
                    "the last " + std::to_string(core_.config.compaction.keep_turns) + " turns stay as they were said");
  }
  WEFT_CHECK(keep_compaction(request, session, made));
  return made.record;
}

Result<std::vector<Compaction>> SessionCompactions::compactions(const RequestContext& request,
                                                                const SessionId& session) {
  WEFT_CHECK(check_id(session.str(), "session id"));
  return compactions_.all(request.scope.key(), session);
}

Result<Compaction> SessionCompactions::undo_compaction(const RequestContext& request, const SessionId& session) {
  WEFT_CHECK(check_id(session.str(), "session id"));
  const ScopeKey scope = request.scope.key();
  const auto pass = core_.erasure_gate.call(request.scope.key());
  WEFT_TRY(const auto live, compactions_.live(scope, session));
  if (!live) return not_found("compact: this session has no compaction to take back");
  Compaction record = live->record;
  record.undone = true;
  WriteBatch batch;
  WEFT_TRY(auto row, compactions_.row_of(scope, session, record, core_.clock->now()));
  batch.documents.push_back(std::move(row));
  const ItemId id("compaction:" + record.id);
  WEFT_TRY(const auto rows, core_.store->items().rows_of(scope, std::span(&id, 1)));
  if (rows.front() != 0) batch.item_active.emplace_back(rows.front(), false);
  WEFT_CHECK(core_.store->write(batch));
  core_.change->serving()->memory.set_active(scope, batch.item_active);
  compactions_.changed(scope, session);
  prepared_.lock()->erase(SessionKey(scope, session));
  return record;
}

// Before every call: is it too much? Then flush, compact, and build from what is left. What was prepared in the
// background is used, else the deterministic way: nobody waits for a model here, nor for the reading of a session that
// is many windows long. True where a compaction was made.
Result<bool> SessionCompactions::compact_if_needed(const RequestContext& request, const SessionId& session,
                                                   const ContextRequest& what, const ContextPorts& ports,
                                                   ContextInput& input) {
  if (input.history.empty() || !core_.config.compaction.enabled) return false;
  WEFT_TRY(const Budget budget, make_budget(core_.config, input.window, input.output_tokens, input.other_tokens));
  WEFT_TRY(const std::int64_t tokens, tokens_wanted(ports, input));
  if (tokens < budget.warn) return false;
  CompactWish wish{input.window, "", input.task, nullptr, tokens - input.omitted.tokens};
  for (const HistoryMessage& entry : input.history) wish.beside -= entry.tokens;
  const bool long_session = input.omitted.tokens > kMostInForeground * budget.window;
  if (tokens < budget.compact || long_session) prepare_compaction({request.scope, session, wish});
  if (tokens < budget.compact) return false;
  WEFT_TRY(const bool made, compact_now(request, session, wish, !long_session));
  if (!made) return false;
  // Built and counted again from what stands now.
  WEFT_TRY(auto again, histories_.context_input(request, session, what));
  input.history = std::move(again.history);
  input.omitted = again.omitted;
  input.compacted = std::move(again.compacted);
  WEFT_TRY(const std::int64_t left, tokens_wanted(ports, input));
  if (left >= budget.compact)
    log_warning("compaction.over_target", "session " + session.str() + ": " + std::to_string(left) +
                                              " tokens are still wanted of " + std::to_string(budget.usable));
  return true;
}

Result<bool> SessionCompactions::compact_now(const RequestContext& request, const SessionId& session,
                                             const CompactWish& wish, bool at_once) {
  const auto pass = core_.erasure_gate.call(request.scope.key());
  Result<Compacted> made = take_prepared(request.scope.key(), session);
  if (!made.ok() && !at_once) return false;
  if (!made.ok()) made = make_compaction(request, session, wish);
  if (made.ok() && made->changed) {
    const Status kept = keep_compaction(request, session, *made);
    if (!kept.ok()) made = kept.error();
  }
  if (made.ok()) return made->changed;
  // The session goes on: what is too much is trimmed from the prompt as before.
  ++core_.metrics.compactions_failed;
  log_error("compaction.failed", "session " + session.str() + ": " + made.error().message);
  if (core_.config.compaction.fail_closed) return made.error();
  return false;
}

// What was to be kept is looked for in the very prompt that goes out.
void SessionCompactions::check_compacted(const SessionId& session, BuiltContext& built) {
  std::string text;
  for (const Message& message : built.woven.messages) text += message.content + "\n";
  const StatedText sent(text);
  for (const Anchor& anchor : workspace_anchors(core_)) {
    if (anchor_stands(anchor, sent)) continue;
    built.woven.report.compaction_missing.push_back(anchor.text);
    log_error("compaction.anchor_missing",
              "session " + session.str() + ": " + anchor.file + " line " + std::to_string(anchor.line));
  }
}

void SessionCompactions::prepare_compaction(CompactionJob job) {
  {
    auto wanted = to_compact_.lock();
    const auto same = [&](const CompactionJob& one) { return one.scope == job.scope && one.session == job.session; };
    if (std::any_of(wanted->begin(), wanted->end(), same)) return;
    auto ready = prepared_.lock();
    if (ready->contains({job.scope.key(), job.session})) return;
    wanted->push_back(std::move(job));
  }
  core_.compactor.wake();
}

// What was prepared still fits as long as its last message is on the living branch, and it goes on from the compaction
// that counts now.
Result<Compacted> SessionCompactions::take_prepared(const ScopeKey& scope, const SessionId& session) {
  Compacted made;
  {
    auto ready = prepared_.lock();
    const auto at = ready->find({scope, session});
    if (at == ready->end()) return not_found("nothing was prepared");
    made = std::move(at->second);
    ready->erase(at);
  }
  if (made.record.summary.covers.empty()) return not_found("nothing was prepared");
  WEFT_TRY(const auto last, core_.store->messages().get(scope, session, made.record.summary.covers.back()));
  if (!last || !last->active) return not_found("the branch was left");
  const auto live = histories_.compaction_for(scope, session);
  const auto& covers = made.record.summary.covers;
  if (live && std::find(covers.begin(), covers.end(), live->record.summary.covers.back()) == covers.end())
    return not_found("another compaction came between");
  return made;
}

std::optional<std::chrono::milliseconds> SessionCompactions::work_off(std::stop_token stop) {
  while (!stop.stop_requested()) {
    std::optional<CompactionJob> job;
    {
      auto wanted = to_compact_.lock();
      if (wanted->empty()) return std::nullopt;
      job = std::move(wanted->front());
      wanted->pop_front();
    }
    const auto pass = core_.erasure_gate.work(job->scope.key());
    const CallScope call(Account{job->scope.key().str(), {}});
    const RequestContext request{job->scope, {}, stop};
    job->wish.model = core_.models->chat("fast");
    auto made = make_compaction(request, job->session, job->wish);
    if (!made.ok() || !made->changed) continue;
    auto ready = prepared_.lock();
    if (ready->size() >= kMostPrepared) ready->clear();
    (*ready)[{job->scope.key(), job->session}] = std::move(*made);
    ++core_.metrics.compactions_prepared;
  }
  return std::nullopt;
}

namespace {

// As their authors wrote them; people may change them at any time.
std::vector<AnchorSource> workspace_files(const EngineCore& core) {
  std::vector<AnchorSource> files;
  for (const char* name : {"AGENTS.md", "SOUL.md", "USER.md"}) {
    auto text = read_file(std::filesystem::path(core.config.workspace) / name);
    if (text.ok())
      files.push_back({name, std::move(text).value()});
    else if (text.error().code != ErrorCode::kNotFound)
      log_warning("context.rules", text.error().message);
  }
  return files;
}

}  // namespace

std::string workspace_rules(const EngineCore& core) {
  std::string rules;
  for (const AnchorSource& file : workspace_files(core)) rules += (rules.empty() ? "" : "\n\n") + file.text;
  return rules;
}

std::vector<Anchor> workspace_anchors(const EngineCore& core) { return find_anchors(workspace_files(core)); }

}  // namespace weft
