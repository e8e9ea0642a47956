// Forgetting: messages, and all that was made from them, in rows, indexes, files, queue, caches and free pages.
//
// Gives: a receipt, and a record by which it can be checked. Others go on: what is to go is found while everybody
// writes, and taken out in small transactions, a session at a time. Killed anywhere it goes on: the record is on disk
// before anything is changed, every step may be done again, and nothing of the record is a text.
#include "engine/eraser.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/fault_point.h"
#include "base/log.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "engine/old_queue.h"
#include "flow/historian/queued_jobs.h"
#include "flow/memory/profile_merge.h"
#include "flow/stream/conversation.h"
#include "flow/stream/observe.h"
#include "growth/report_builder.h"
#include "model/records.h"
#include "ports/files/erasure_record.h"

namespace weft {

// What an erasure will take out, found before anything is changed: ids and numbers, no texts.
struct Erasing {
  struct OfSession {
    std::vector<MessageRow> messages;  ///< that go: seq, parent, digest, chain, id and time
    std::vector<std::int64_t> items;  ///< rows made of them
    std::vector<std::pair<std::int64_t, std::int64_t>> parents;  ///< seq of one that stays → of the one it hangs on now
  };
  std::map<SessionId, OfSession> sessions;
  std::vector<std::int64_t> other_items;  ///< of none of these sessions
  std::map<ScopeKey, std::vector<std::int64_t>> views;  ///< rows in other scopes, by scope
  std::map<ScopeKey, std::vector<ItemId>> view_ids;  ///< of events in their senders' private memory, by scope
  std::vector<std::int64_t> relinked;  ///< events that lose the one they replaced, or were replaced by
  std::unordered_set<std::string> message_ids, event_ids;
  std::int64_t last_seq = 0;  ///< what came later was not looked at
  std::size_t messages = 0, items = 0;

  /// What is told to those who keep what was made of these messages. It reads `record`, which must outlive it.
  ErasedMessages told(const ErasureRecord& record) const;

  const OfSession* of(const SessionId& session) const {
    const auto at = sessions.find(session);
    return at == sessions.end() ? nullptr : &at->second;
  }
};

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

constexpr const char* kStateRequests = "state_request";  // documents by the id of the request

// The request of a change of a state says that it was made. It goes if it holds an answer, or was made by an erased
// message. The others stay: an answer whose job was broken off must not change the state a second time.
Status add_requests(Store& store, const ScopeKey& scope, const Erasing& erasing, WriteBatch& batch) {
  std::set<std::string, std::less<>> answers;
  for (const auto& [session, of] : erasing.sessions)
    for (const MessageRow& row : of.messages) answers.insert(session.str() + "/answer:" + row.message.id.str());
  WEFT_TRY(const auto requests, store.documents().all(scope, kStateRequests));
  for (const DocumentRow& request : requests) {
    const Json body = Json::parse(request.body, nullptr, false);
    bool goes = !body.is_object() || body.value("answer", Json("")) != Json("");
    for (auto at = request.id.find('/'); at != std::string::npos; at = request.id.find('/', at + 1))
      goes = goes || answers.contains(std::string_view(request.id).substr(0, at));
    if (goes) batch.erased_documents.push_back({scope, kStateRequests, request.id});
  }
  return {};
}

constexpr std::size_t kChunk = 200;  // rows read at a time for their texts

// Ids that clients number from one in each session are told apart, or asked about.
Status check_sessions(const EraseRequest& what, const std::vector<MessageRow>& rows) {
  std::map<MessageId, std::set<SessionId>> sessions;
  for (const MessageRow& row : rows) sessions[row.message.id].insert(row.session);
  for (const auto& [id, of] : sessions) {
    if (of.size() < 2) continue;
    return conflict("erase: " + std::to_string(of.size()) + " sessions have a message \"" + id.str() + "\"",
                    "say which session is meant, such as \"" + of.begin()->str() + "\"");
  }
  (void)what;
  return {};
}

// What came after the erasure began is another message, whatever its id: this one only goes on.
bool is_meant(const ErasureRecord& record, const MessageRow& row) {
  return record.request.everything || record.last_seq == 0 || row.seq <= record.last_seq;
}

void take_message(MessageRow row, ErasureRecord& record, Erasing& erasing) {
  record.traces.add(row.message.content, true);
  record.receipt.digests.push_back(message_digest(row.scope, row.session, row.message.id));
  erasing.message_ids.insert(row.message.id.str());
  ++erasing.messages;
  MessageRow kept;
  kept.seq = row.seq;
  kept.parent = row.parent;
  kept.digest = row.digest;
  kept.chain = row.chain;
  kept.message.id = row.message.id;
  kept.message.time = row.message.time;
  erasing.sessions[row.session].messages.push_back(std::move(kept));
}

Status choose_messages(Store& store, bool again, ErasureRecord& record, Erasing& erasing) {
  const EraseRequest& what = record.request;
  const ScopeKey scope = record.key();
  if (what.messages.empty()) {
    return store.messages().scan(scope, false, [&](MessageRow&& row) {
      erasing.last_seq = std::max(erasing.last_seq, row.seq);
      const bool goes = what.everything || (row.message.time && *row.message.time < *what.before);
      if (goes && is_meant(record, row)) take_message(std::move(row), record, erasing);
    });
  }
  WEFT_TRY(auto rows, store.messages().get(scope, what.messages));
  if (!what.session.empty()) std::erase_if(rows, [&](const MessageRow& row) { return row.session != what.session; });
  std::erase_if(rows, [&](const MessageRow& row) { return !is_meant(record, row); });
  if (!again) WEFT_CHECK(check_sessions(what, rows));
  for (MessageRow& row : rows) take_message(std::move(row), record, erasing);
  if (!again) return {};
  // Also those that were chosen with them, and of which what linked them is gone.
  const std::unordered_set<std::string> chosen(record.receipt.digests.begin(), record.receipt.digests.end());
  return store.messages().scan(scope, false, [&](MessageRow&& row) {
    const bool known = erasing.of(row.session) != nullptr && erasing.message_ids.contains(row.message.id.str());
    if (!known && is_meant(record, row) && chosen.contains(message_digest(scope, row.session, row.message.id)))
      take_message(std::move(row), record, erasing);
  });
}

// Those that stay hang on the nearest one before them that stays.
Status mend_branches(Store& store, const ScopeKey& scope, Erasing& erasing) {
  std::unordered_map<std::int64_t, std::int64_t> gone;  // seq → parent
  for (const auto& [session, of] : erasing.sessions)
    for (const MessageRow& row : of.messages) gone[row.seq] = row.parent;
  return store.messages().scan(scope, true, [&](MessageRow&& row) {
    erasing.last_seq = std::max(erasing.last_seq, row.seq);
    if (gone.contains(row.seq) || !gone.contains(row.parent)) return;
    std::int64_t parent = row.parent;
    for (auto at = gone.find(parent); at != gone.end(); at = gone.find(parent)) parent = at->second;
    erasing.sessions[row.session].parents.emplace_back(row.seq, parent);
  });
}

/// An event with what it has to do with others.
struct Link {
  std::int64_t row;
  std::string id, supersedes, superseded_by;
};

// An item goes with any of the messages that it was made from: what is left of them makes a new one.
class ItemChooser {
 public:
  ItemChooser(ErasureRecord& record, Erasing& erasing) : record_(record), erasing_(erasing) {
    for (const auto& [session, of] : erasing.sessions)
      for (const MessageRow& row : of.messages) ids_[session.str()].insert(row.message.id.str());
  }

  void look_at(const ItemRow& item) {
    const auto& event = item.item.event;
    if (!goes(item)) {
      if (event && !(event->supersedes.empty() && event->superseded_by.empty()))
        links_.push_back({item.row, item.item.id.str(), event->supersedes.str(), event->superseded_by.str()});
      return;
    }
    ++erasing_.items;
    const auto session = erasing_.sessions.find(item.item.session);
    (session == erasing_.sessions.end() ? erasing_.other_items : session->second.items).push_back(item.row);
    if (event) erasing_.event_ids.insert(item.item.id.str());
    if (event && !event->group_id.empty() && !event->sender_id.empty()) {
      const auto sender = Scope::private_of(UserId(event->sender_id));
      if (sender.ok() && sender->key() != item.scope) views_[sender->key()].push_back(sender_view_id(item.item));
    }
    // Events and narratives of topics, and profiles, are written anew under their ids from what is left.
    if (item.item.kind == ItemKind::kMessage || (event && event->is_fact()))
      record_.receipt.digests.push_back(erasure_digest(item.scope, "item", item.item.id.str()));
    // A profile is made of events, and of headings that every profile has.
    if (item.item.kind == ItemKind::kEvent || item.item.kind == ItemKind::kNarrative) with_text_.push_back(item.row);
  }

  Status finish(Store& store) {
    for (const Link& link : links_)
      if (erasing_.event_ids.contains(link.supersedes) || erasing_.event_ids.contains(link.superseded_by))
        erasing_.relinked.push_back(link.row);
    for (const auto& [scope, ids] : views_) {
      WEFT_TRY(auto rows, store.items().rows_of(scope, ids));
      std::erase(rows, 0);
      if (!rows.empty()) erasing_.views[scope] = std::move(rows);
    }
    erasing_.view_ids = std::move(views_);
    return read_texts(store);
  }

 private:
  bool goes(const ItemRow& item) const {
    if (record_.request.everything) return true;
    const bool of_messages = item.item.kind != ItemKind::kProfile && item.item.kind != ItemKind::kLore &&
                             item.item.kind != ItemKind::kKnowledge;
    if (record_.request.before && item.item.time < *record_.request.before && of_messages) return true;
    const auto of = ids_.find(item.item.session.str());
    return std::any_of(item.item.sources.begin(), item.item.sources.end(), [&](const MessageId& id) {
      // What belongs to no session may have been made from any.
      return item.item.session.empty() ? erasing_.message_ids.contains(id.str())
                                       : of != ids_.end() && of->second.contains(id.str());
    });
  }

  Status read_texts(Store& store) {
    for (std::size_t at = 0; at < with_text_.size() && record_.traces.size() < Traces::kMost; at += kChunk) {
      const std::size_t count = std::min(kChunk, with_text_.size() - at);
      WEFT_TRY(const auto items, store.items().get(record_.key(), std::span(with_text_).subspan(at, count)));
      for (const ItemRow& item : items) record_.traces.add(without_ids(item), false);
    }
    return {};
  }

  // Ids of people and groups stand in many places by right; a line break ends a piece.
  std::string without_ids(const ItemRow& item) const {
    std::string text = item.item.text;
    std::vector<std::string> ids{record_.scope.user().str(), record_.scope.group().str()};
    if (item.item.event) ids.push_back(item.item.event->sender_id);
    for (const std::string& id : ids)
      for (auto at = text.find(id); !id.empty() && at != std::string::npos; at = text.find(id, at))
        text.replace(at, id.size(), "\n");
    return text;
  }

  ErasureRecord& record_;
  Erasing& erasing_;
  std::map<std::string, std::unordered_set<std::string>> ids_;
  std::vector<Link> links_;
  std::map<ScopeKey, std::vector<ItemId>> views_;
  std::vector<std::int64_t> with_text_;
};

constexpr std::size_t kRowsAtOnce = 100;  // rows of one transaction, which others wait for

using Seqs = std::unordered_map<std::int64_t, std::int64_t>;  // that go → the one before each

std::int64_t nearest_left(const Seqs& gone, std::int64_t seq) {
  for (auto at = gone.find(seq); at != gone.end(); at = gone.find(seq)) seq = at->second;
  return seq;
}

// Blocks and topics that lose messages: what is left of a topic is written anew.
class TopicMender {
 public:
  TopicMender(Store& store, ScopeKey scope, SessionId session, const Seqs& gone)
      : store_(store), scope_(std::move(scope)), session_(std::move(session)), gone_(gone) {}

  Status mend(const std::vector<MessageRow>& messages, WriteBatch& batch, std::vector<TopicRow>& again) {
    std::unordered_set<std::string> blocks;
    for (const MessageRow& row : messages) {
      WEFT_TRY(const auto now, store_.messages().get(scope_, session_, row.message.id));
      if (now && !now->block.empty()) blocks.insert(now->block.str());
    }
    std::unordered_set<std::string> topics;
    for (const std::string& id : blocks) {
      WEFT_TRY(const auto block, store_.streams().block(scope_, session_, BlockId(id)));
      if (!block) continue;
      topics.insert(block->topic.str());
      WEFT_TRY(const bool empty, is_empty(*block));
      if (!empty) continue;
      batch.erased_blocks.push_back({scope_, session_, block->id});
      empty_.insert(id);
    }
    for (const std::string& id : topics) WEFT_CHECK(mend_topic(TopicId(id), batch, again));
    return {};
  }

 private:
  Result<bool> is_empty(const BlockRow& block) {
    WEFT_TRY(const auto messages, store_.messages().of_block(scope_, session_, block.id));
    return std::all_of(messages.begin(), messages.end(),
                       [&](const MessageRow& row) { return gone_.contains(row.seq); });
  }

  Status mend_topic(const TopicId& id, WriteBatch& batch, std::vector<TopicRow>& again) {
    WEFT_TRY(auto topic, store_.streams().topic(scope_, session_, id));
    if (!topic) return {};
    WEFT_TRY(const auto blocks, store_.streams().topic_blocks(scope_, session_, id));
    const auto left = std::count_if(blocks.begin(), blocks.end(),
                                    [&](const BlockRow& block) { return !empty_.contains(block.id.str()); });
    if (left == 0) {
      batch.erased_topics.push_back({scope_, session_, id});
      return {};
    }
    topic->lead.clear();
    topic->trace.clear();
    topic->done = false;
    topic->blocks = left;
    again.push_back(*topic);
    batch.topics.push_back(std::move(*topic));
    return {};
  }

  Store& store_;
  const ScopeKey scope_;
  const SessionId session_;
  const Seqs& gone_;
  std::unordered_set<std::string> empty_;
};

// Of what came after the plan was made.
Status mend_newest(Store& store, const ScopeKey& scope, const SessionId& session, std::int64_t last_seq,
                   const Seqs& gone, WriteBatch& batch) {
  WEFT_TRY(const auto newer,
           store.messages().range(scope, session, last_seq + 1, std::numeric_limits<std::int64_t>::max()));
  for (const MessageRow& row : newer)
    if (gone.contains(row.parent)) batch.message_parents.emplace_back(row.seq, nearest_left(gone, row.parent));
  return {};
}

Status mend_session_row(Store& store, const ScopeKey& scope, const SessionId& session, const Seqs& gone,
                        WriteBatch& batch) {
  WEFT_TRY(auto row, store.streams().session(scope, session));
  if (!row) return {};
  row->head = nearest_left(gone, row->head);
  row->open_topic = TopicId();
  row->open_block = BlockId();
  batch.sessions.push_back(std::move(*row));
  return {};
}

// Reads the messages that an erasure by ids names, for calls under way; gives nothing for any other erasure.
Result<ErasedByIds> erased_by_ids(Store& store, const ErasureRecord& record) {
  if (record.request.messages.empty()) return ErasedByIds();
  if (!record.receipt.digests.empty()) return ErasedByIds{record.traces, {}};  // it goes on
  ErasureRecord named = record;
  Erasing found;
  WEFT_CHECK(choose_messages(store, false, named, found));
  ErasedByIds erased{std::move(named.traces), {}};
  for (const auto& [session, of] : found.sessions) {
    WEFT_TRY(const auto newest, store.messages().recent(record.key(), session, 1));
    if (newest.empty() || newest.front().message.role == Role::kAssistant) continue;
    const auto is_newest = [&](const MessageRow& row) { return row.seq == newest.front().seq; };
    if (std::any_of(of.messages.begin(), of.messages.end(), is_newest)) erased.unanswered.insert(session);
  }
  return erased;
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
    WEFT_CHECK(fault_point(FaultPoint::kErasePlanned));
    EraseReceipt& receipt = record.receipt;
    // Messages last: as long as they are there, it is found again what there is to do.
    WEFT_CHECK(erase_files(record, erasing, receipt));
    WEFT_CHECK(fault_point(FaultPoint::kEraseFiles));
    WEFT_CHECK(erase_rest(record, erasing));
    WEFT_CHECK(fault_point(FaultPoint::kEraseRest));
    for (const auto& [session, of] : erasing.sessions) {
      if (stop.stop_requested()) return cancelled("erase: stopped; it goes on with the next start or the same call");
      WEFT_CHECK(erase_session(record, erasing, session, receipt));
      WEFT_CHECK(fault_point(FaultPoint::kEraseSession));
    }
    // Another server may have added a message to its day before it was deleted.
    if (core_.store->is_shared()) WEFT_CHECK(with_.diaries.erase(erasing.told(record)));
    forget(scope);
    for (const auto& [other, rows] : erasing.views) core_.facts->forget(other);
  }
  WEFT_CHECK(fault_point(FaultPoint::kEraseRows));
  WEFT_CHECK(remove_traces(record, record.receipt));
  WEFT_CHECK(fault_point(FaultPoint::kEraseTraces));
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
  // A goal and a refusal may hold words of an erased message, too.
  for (const char* kind : {"goal", "state_refusal"}) batch.erased_documents.push_back({scope, kind, ""});
  WEFT_CHECK(add_requests(*core_.store, scope, erasing, batch));
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

// Reports and reflections last: by them the rest is found.
Status LessonEraser::erase(const ErasedMessages& gone) {
  WEFT_TRY(ErasedLessons lessons, reflections_.lessons_of(gone));
  lessons.reports.merge(gone.sources());  // by these names skills know messages that they were taught in
  if (lessons.empty()) return {};
  WEFT_TRY(const auto skills, skills_.made_of(lessons));
  WEFT_CHECK(rules_.erase(lessons, skills));
  WEFT_CHECK(skills_.erase(lessons));
  return reflections_.erase(lessons);
}

// What an erasure has to take out. Rows are looked at one by one, while everybody goes on.

ErasedMessages Erasing::told(const ErasureRecord& record) const {
  ErasedMessages gone;
  gone.scope = record.key();
  gone.everything = record.request.everything;
  gone.before = record.request.before;
  gone.repeats = [&record](std::string_view text) { return record.traces.said_in(text); };
  for (const auto& [session, of] : sessions)
    for (const MessageRow& row : of.messages)
      gone.messages[session][row.message.id.str()] = row.message.time.value_or(Time());
  return gone;
}

// What was said of the chosen messages elsewhere.
Status Eraser::choose_linked(ErasureRecord& record, Erasing& erasing) {
  const ErasedMessages gone = erasing.told(record);
  WEFT_TRY(const auto messages, with_.desk.said_of(gone, with_.runs.questions_of(gone)));
  for (const auto& [session, message] : messages) {
    if (gone.has(session, message.str())) continue;
    WEFT_TRY(auto row, core_.store->messages().get(record.key(), session, message));
    if (row) take_message(std::move(*row), record, erasing);
  }
  return {};
}

// False where there is nothing to erase. `record` gets what is needed to check it for ever.
Result<bool> Eraser::plan_erasure(ErasureRecord& record, Erasing& erasing) {
  const ScopeKey scope = record.key();
  const bool again = !record.receipt.digests.empty();
  if (!again) {
    WEFT_TRY(const StoreCounts counts, core_.store->counts());
    record.last_seq = counts.last_seq;
  }
  WEFT_CHECK(choose_messages(*core_.store, again, record, erasing));
  if (!record.request.messages.empty() && erasing.messages == 0 && !again) return false;
  if (!record.request.everything) WEFT_CHECK(choose_linked(record, erasing));
  if (!record.request.everything) WEFT_CHECK(mend_branches(*core_.store, scope, erasing));
  if (record.request.everything) {
    WEFT_TRY(const auto sessions, core_.store->streams().scope_sessions(scope));
    for (const SessionId& session : sessions) erasing.sessions.try_emplace(session);
  }
  // Of an erasure that goes on some messages are gone, and what was made of them may be left.
  if (again)
    for (const MessageId& id : record.request.messages) erasing.message_ids.insert(id.str());
  ItemChooser items(record, erasing);
  WEFT_CHECK(core_.store->items().scan_sources(scope, [&](ItemRow&& item) { items.look_at(item); }));
  WEFT_CHECK(items.finish(*core_.store));
  auto& digests = record.receipt.digests;
  std::sort(digests.begin(), digests.end());
  digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
  record.receipt.messages = std::max(record.receipt.messages, erasing.messages);
  record.receipt.items = std::max(record.receipt.items, erasing.items);
  return true;
}

// Forgetting within one session, which is held meanwhile: its callers wait, nobody else does.

Status Eraser::erase_session(const ErasureRecord& record, const Erasing& erasing, const SessionId& session,
                             EraseReceipt& receipt) {
  const ScopeKey scope = record.key();
  const Erasing::OfSession& of = *erasing.of(session);
  Seqs gone;
  for (const MessageRow& row : of.messages) gone.emplace(row.seq, row.parent);
  WEFT_TRY(auto held, core_.sessions->hold(scope, session));
  StreamChange change;
  const Deadline deadline;
  WEFT_CHECK(
      with_.streams.change_stream(held, change, [&](const StreamPorts& ports, SessionState& state, StreamChange& made) {
        flush_session(ports, deadline, state, FlushReason::kSave, made);
        return Status();
      }));
  held.forget();

  if (!record.request.everything) WEFT_CHECK(erase_task(record, session));
  std::vector<TopicRow> again;
  constexpr int kTries = 20;  // another program that shares the store may write the session meanwhile
  for (int tries = 1;; ++tries) {
    WriteBatch batch;
    again.clear();
    if (record.request.everything) {
      batch.erased_sessions.emplace_back(scope, session);
    } else {
      TopicMender topics(*core_.store, scope, session, gone);
      WEFT_CHECK(topics.mend(of.messages, batch, again));
      batch.message_parents = of.parents;
      WEFT_CHECK(mend_newest(*core_.store, scope, session, erasing.last_seq, gone, batch));
      WEFT_CHECK(mend_session_row(*core_.store, scope, session, gone, batch));
      // A running summary may tell of what has gone, and so may a summary of the session.
      batch.blanked_leads.emplace_back(scope, session);
    }
    batch.erased_documents.push_back({scope, "compaction", session.str()});
    batch.erased_documents.push_back({scope, decision_kind(session), ""});
    batch.erased_documents.push_back({scope, kPromptLessons, session.str()});
    for (const TopicRow& topic : again) batch.jobs.push_back(topic_job(topic, core_.clock->now().ms));
    const std::size_t topics_erased = batch.erased_topics.size();
    const Status written = write_erasure(scope, batch);
    if (written.ok()) {
      receipt.topics += topics_erased;
      break;
    }
    if (written.error().code != ErrorCode::kConflict || tries == kTries) return written;
  }

  WEFT_CHECK(fault_point(FaultPoint::kEraseTopics));
  for (std::size_t at = 0; at < of.items.size(); at += kRowsAtOnce) {
    WriteBatch items;
    items.erased_items.assign(
        of.items.begin() + static_cast<std::ptrdiff_t>(at),
        of.items.begin() + static_cast<std::ptrdiff_t>(std::min(of.items.size(), at + kRowsAtOnce)));
    WEFT_CHECK(write_erasure(scope, items));
  }
  WEFT_CHECK(fault_point(FaultPoint::kEraseItems));
  // Last, so that what is interrupted is found again by them.
  for (std::size_t at = 0; at < of.messages.size(); at += kRowsAtOnce) {
    WriteBatch messages;
    for (std::size_t i = at; i < std::min(of.messages.size(), at + kRowsAtOnce); ++i) {
      messages.erased_messages.push_back(of.messages[i].seq);
      if (of.messages[i].chain != 0) note_erased(scope, of.messages[i], messages);
    }
    WEFT_CHECK(write_erasure(scope, messages));
  }
  if (!again.empty()) core_.jobs_came();
  return {};
}

}  // namespace weft
