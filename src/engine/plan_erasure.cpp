// What an erasure has to take out. Rows are looked at one by one, while everybody goes on.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "engine/engine_core.h"
#include "engine/eraser.h"
#include "engine/erasing.h"
#include "flow/historian/queued_jobs.h"
#include "ports/files/erasure_record.h"

namespace weft {
namespace {

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

}  // namespace

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

}  // namespace weft
