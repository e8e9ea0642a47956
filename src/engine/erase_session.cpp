// Forgetting within one session, which is held meanwhile: its callers wait, nobody else does.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/engine_core.h"
#include "engine/eraser.h"
#include "engine/erasing.h"
#include "flow/stream/conversation.h"
#include "flow/stream/observe.h"
#include "growth/prompt_lessons.h"
#include "ports/files/erasure_record.h"

namespace weft {
namespace {

constexpr std::size_t kChunk = 100;  // rows of one transaction, which others wait for

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

}  // namespace

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

  for (std::size_t at = 0; at < of.items.size(); at += kChunk) {
    WriteBatch items;
    items.erased_items.assign(of.items.begin() + static_cast<std::ptrdiff_t>(at),
                              of.items.begin() + static_cast<std::ptrdiff_t>(std::min(of.items.size(), at + kChunk)));
    WEFT_CHECK(write_erasure(scope, items));
  }
  // Last, so that what is interrupted is found again by them.
  for (std::size_t at = 0; at < of.messages.size(); at += kChunk) {
    WriteBatch messages;
    for (std::size_t i = at; i < std::min(of.messages.size(), at + kChunk); ++i) {
      messages.erased_messages.push_back(of.messages[i].seq);
      if (of.messages[i].chain != 0) note_erased(scope, of.messages[i], messages);
    }
    WEFT_CHECK(write_erasure(scope, messages));
  }
  if (!again.empty()) core_.jobs_came();
  return {};
}

}  // namespace weft
