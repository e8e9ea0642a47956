// Forgetting: messages, and all that was made from them, in rows, indexes, files, queue, caches and free pages.
//
// Gives: a receipt, and a record by which it can be checked. Others go on: what is to go is found while everybody
// writes, and taken out in small transactions, a session at a time. Killed anywhere it goes on: the record is on disk
// before anything is changed, every step may be done again, and nothing of the record is a text.
#include "engine/eraser.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "engine/engine_core.h"

#include "engine/erasing.h"
#include "engine/old_queue.h"
#include "flow/historian/queued_jobs.h"
#include "flow/memory/profile_merge.h"
#include "model/session_task.h"
#include "ports/files/erasure_record.h"

namespace weft {
namespace {

using Json = nlohmann::json;

Status check_request(const EraseRequest& what) {
  const int given = (what.everything ? 1 : 0) + (what.messages.empty() ? 0 : 1) + (what.before ? 1 : 0);
  if (given != 1)
    return invalid_argument("erase: say what is to be forgotten",
                            "everything, some messages, or all before a moment; one of them");
  if (!what.session.empty() && what.messages.empty())
    return invalid_argument("erase: a session is named, and none of its messages", "name the messages too");
  return what.session.empty() ? Status() : check_id(what.session.str(), "session id");
}

bool job_is_of(const Job& job, const ErasureRecord& record, const Erasing& erasing) {
  const Json payload = Json::parse(job.payload, nullptr, false);
  if (!payload.is_object() || payload.value("scope", "") != record.key().str()) return false;
  if (record.request.everything) return true;
  const SessionId session(payload.value("session", ""));
  const auto* of = erasing.of(session);
  for (const Json& id : payload.value("message_ids", Json::array())) {
    if (!id.is_string()) continue;
    const auto is_it = [&](const MessageRow& row) { return row.message.id.str() == id.get_ref<const std::string&>(); };
    if (of != nullptr && std::any_of(of->messages.begin(), of->messages.end(), is_it)) return true;
  }
  const auto time = parse_time(payload.value("time", ""));
  return record.request.before && time.ok() && *time < *record.request.before;
}

// Marks of jobs that are done, so that their ids tell nothing any more either.
void add_marks(const ErasureRecord& record, const Erasing& erasing, WriteBatch& batch) {
  EndJob end;
  end.scope = record.key();
  end.new_info = "any";
  for (const auto& [session, of] : erasing.sessions) {
    end.session = session;
    end.message_ids.clear();
    for (const MessageRow& row : of.messages) end.message_ids.push_back(row.message.id);
    const auto marks = info_marks(end);
    batch.erased_marks.insert(batch.erased_marks.end(), marks.begin(), marks.end());
  }
  for (const std::string& event : erasing.event_ids) {
    const auto colon = event.rfind(':');
    if (colon == std::string::npos) continue;
    const std::int64_t number = std::atoll(event.c_str() + colon + 1);
    const JobId job = end_job_id(end.scope, event.substr(0, colon), number);
    batch.erased_marks.insert(batch.erased_marks.end(), {job.str(), done_mark(job), queued_mark(job)});
    // The number of an erased end is not given again: by its id the receipt knows it.
    if (number > 0) batch.marks.push_back(erased_mark(end.scope, event));
  }
  if (!record.request.everything) return;
  const std::string any = end_job_id(end.scope, "", 0).str();
  batch.erased_mark_ends.push_back(any.substr(any.rfind('-')));
}

}  // namespace

Result<EraseReceipt> Eraser::erase(const RequestContext& request, const EraseRequest& what) {
  WEFT_CHECK(check_request(what));
  const std::lock_guard one_at_a_time(erasing_);
  const ErasureRecords records(core_.config.workspace);
  WEFT_TRY(auto pending, records.pending());
  for (ErasureRecord& record : pending)
    if (record.scope == request.scope && ErasureRecords::same(record.request, what))
      return carry_out(record, request.cancel);
  ErasureRecord record = ErasureRecords::begin(request.scope, what, core_.clock->now());
  return carry_out(record, request.cancel);
}

// Who writes by itself stands still before the scope is locked: what waits for the lock could not end.
Result<EraseReceipt> Eraser::carry_out(ErasureRecord& record, std::stop_token stop) {
  const ScopeKey scope = record.key();
  const AtEnd going_on([&] { guarded_or_logged("erase.let_go", [&] { let_go(scope); }); });
  WEFT_CHECK(hold(scope, record.request));
  return carry_out_held(record, stop);
}

// From the plan to the receipt.
Result<EraseReceipt> Eraser::carry_out_held(ErasureRecord& record, std::stop_token stop) {
  const ScopeKey scope = record.key();
  const ErasureRecords records(core_.config.workspace);
  {
    const EraseRequest& what = record.request;
    std::optional<std::chrono::milliseconds> ago;
    if (what.everything) ago.emplace(0);
    if (what.before) ago.emplace(std::max<std::int64_t>(0, core_.clock->now().ms - what.before->ms));
    WEFT_TRY(auto by_ids, erased_by_ids(*core_.store, record));
    const auto alone = core_.erasure_gate.alone(scope, ago, std::move(by_ids));
    Erasing erasing;
    WEFT_TRY(const bool something, plan_erasure(record, erasing));
    if (!something) {
      auto former = records.receipt_of(record.scope, record.request);
      if (former.ok()) return former;
      return not_found("erase: no message of " + scope.str() + " has one of these ids",
                       "`weft search --json` shows ids as \"sources\"");
    }
    WEFT_CHECK(records.keep_pending(record));
    EraseReceipt& receipt = record.receipt;
    // Messages last: as long as they are there, it is found again what there is to do.
    WEFT_CHECK(erase_files(record, erasing, receipt));
    WEFT_CHECK(erase_rest(record, erasing));
    for (const auto& [session, of] : erasing.sessions) {
      if (stop.stop_requested()) return cancelled("erase: stopped; it goes on with the next start or the same call");
      WEFT_CHECK(erase_session(record, erasing, session, receipt));
    }
    forget(scope);
    for (const auto& [other, rows] : erasing.views) core_.facts->forget(other);
  }
  WEFT_CHECK(remove_traces(record, record.receipt));
  WEFT_CHECK(records.keep_done(record));
  return record.receipt;
}

Status Eraser::erase_files(const ErasureRecord& record, const Erasing& erasing, EraseReceipt& receipt) {
  const ScopeKey scope = record.key();
  WEFT_TRY(const auto gone, with_.ends.erase_jobs([&](const Job& job) { return job_is_of(job, record, erasing); }));
  receipt.jobs += gone;
  const std::filesystem::path queues = std::filesystem::path(core_.config.workspace) / "queues";
  WEFT_TRY(const auto broken, erase_broken_jobs(queues, [&](std::string_view bytes) {
             std::set<std::size_t> pieces;
             record.traces.find(bytes, [&](std::size_t piece, std::uint64_t) { pieces.insert(piece); });
             return pieces.size() >= std::min<std::size_t>(2, record.traces.size()) && !pieces.empty();
           }));
  receipt.jobs += broken;
  WEFT_TRY(const auto profiles, erase_profiles(record.scope, erasing.event_ids, record.request.everything));
  receipt.profile_files += profiles;
  WEFT_CHECK(redact_views(erasing.view_ids));
  std::vector<std::string> sessions;
  if (!record.request.everything)
    for (const auto& [session, of] : erasing.sessions) sessions.push_back(session.str());
  if (record.request.everything || !sessions.empty()) WEFT_CHECK(core_.session_log->erase(scope, sessions));
  WEFT_TRY(const auto summaries, core_.end_summaries->erase(record.scope.user().str(), record.scope.group().str(),
                                                            record.request.before, record.request.everything));
  receipt.summaries += summaries;
  return erase_made(erasing.told(record));
}

// What a session works on may be told in words of an erased message.
Status Eraser::erase_task(const ErasureRecord& record, const SessionId& session) {
  WEFT_TRY(const SessionTask task, core_.tasks->task(record.key(), session));
  if (task.empty() || !record.traces.said_in(to_json(task))) return {};
  return core_.tasks->put(record.key(), session, {}, core_.clock->now());
}

Result<std::size_t> Eraser::erase_profiles(const Scope& scope, const std::unordered_set<std::string>& events,
                                           bool everything) {
  const EntityKey entity = scope.is_group() ? EntityKey{EntityType::kGroup, scope.group().str()}
                                            : EntityKey{EntityType::kUser, scope.user().str()};
  if (everything) return core_.profile_files->remove(entity);
  if (events.empty()) return std::size_t{0};
  return redact_profile(entity, {events.begin(), events.end()});
}

// What came from these events goes out of a profile, its versions and its archive. Gives how many files have changed.
Result<std::size_t> Eraser::redact_profile(const EntityKey& entity, const std::vector<std::string>& ids) {
  WEFT_TRY(const ProfileSubject subject, with_.profiles.subject_of(entity));
  WEFT_TRY(const std::size_t changed, core_.profile_files->redact(entity, core_.clock->now(), [&](Profile& profile) {
    profile.body = remove_sources(profile.body, ids, subject).body;
    if (std::find(ids.begin(), ids.end(), profile.source_event_id) != ids.end()) profile.source_event_id.clear();
  }));
  if (const auto left = core_.profile_files->read(entity, core_.clock->now()); left.ok())
    WEFT_CHECK(with_.profiles.index_profile(*left));
  return changed;
}

Status Eraser::write_erasure(const ScopeKey& scope, const WriteBatch& batch) {
  const auto pass = core_.change->gate().enter();
  WEFT_CHECK(core_.store->write(batch));
  core_.change->serving()->memory.removed(scope, batch.erased_items);
  return {};
}

// What belongs to no single session.
Status Eraser::erase_rest(const ErasureRecord& record, const Erasing& erasing) {
  const ScopeKey scope = record.key();
  WriteBatch batch;
  batch.erased_items = erasing.other_items;
  if (record.request.everything) {
    batch.erased_documents.push_back({scope, "", ""});
    batch.erased_sessions.emplace_back(scope, SessionId());  // entries of the log that belong to no session
  }
  // A goal, an answer to a change of numbers and a refusal may hold words of an erased message, too.
  for (const char* kind : {"goal", "state_request", "state_refusal"})
    batch.erased_documents.push_back({scope, kind, ""});
  add_marks(record, erasing, batch);
  // A fact that only an erased one had replaced holds again.
  WEFT_TRY(auto events, core_.store->items().get(scope, erasing.relinked));
  for (ItemRow& event : events) {
    if (!event.item.event) continue;
    EventDetails& details = *event.item.event;
    if (erasing.event_ids.contains(details.superseded_by.str())) {
      details.superseded_by = ItemId();
      details.valid_until.reset();
    }
    if (erasing.event_ids.contains(details.supersedes.str())) details.supersedes = ItemId();
    batch.items.push_back(std::move(event));
  }
  WEFT_CHECK(write_erasure(scope, batch));
  core_.change->serving()->memory.added(batch.items);
  for (const auto& [other, rows] : erasing.views) {
    WriteBatch views;
    views.erased_items = rows;
    WEFT_CHECK(write_erasure(other, views));
  }
  return {};
}

// What a crash interrupted.
std::optional<std::chrono::milliseconds> Eraser::resume_erasures(std::stop_token stop) {
  const std::lock_guard one_at_a_time(erasing_);
  auto pending = ErasureRecords(core_.config.workspace).pending();
  if (!pending.ok()) {
    log_error("erase.resume", pending.error().message);
    return std::nullopt;
  }
  for (ErasureRecord& record : *pending) {
    if (stop.stop_requested()) break;
    const auto done = guarded("the erasure", [&] { return carry_out(record, stop); });
    if (!done.ok()) log_error("erase.resume", done.error().message);
  }
  return std::nullopt;
}

}  // namespace weft
