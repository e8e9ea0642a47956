#include "engine/session_compactions.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "base/call_context.h"
#include "base/fault_point.h"
#include "base/log.h"
#include "engine/engine_core.h"
#include "engine/flush_append.h"
#include "engine/workspace_rules.h"
#include "flow/compaction/anchors.h"
#include "flow/compaction/compact.h"
#include "flow/compaction/session_turns.h"
#include "flow/context/build_context.h"
#include "flow/context/fence.h"
#include "flow/historian/queued_jobs.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostPrepared = 256;
constexpr double kLeastTarget = 0.25;          // of the target stays for the history, whatever stands beside it
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

}  // namespace weft
