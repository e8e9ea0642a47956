#include "flow/stream/branch.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace weft {
namespace {

std::size_t common(const std::vector<PathNode>& path, std::size_t offset, std::span<const std::uint64_t> history) {
  std::size_t length = 0;
  while (offset + length < path.size() && length < history.size() && path[offset + length].digest == history[length])
    ++length;
  return length;
}

bool intersects(const std::vector<MessageId>& sources, const std::unordered_set<MessageId>& gone) {
  return std::any_of(sources.begin(), sources.end(), [&](const MessageId& id) { return gone.contains(id); });
}

// The first message was edited and a later one stands as it was in its old place: a branch from the very beginning, not
// another conversation.
bool edited_from_the_start(const std::vector<PathNode>& path, std::span<const std::uint64_t> history) {
  for (std::size_t i = 1; i < path.size() && i < history.size(); ++i) {
    if (path[i].digest == history[i]) return true;
  }
  return false;
}

// Items of messages that are left, and whatever was made from them.
Status deactivate_items(Store& store, const SessionState& state, const std::unordered_set<MessageId>& gone,
                        StreamChange& change) {
  WEFT_TRY(const auto items, store.items().of_session(state.row.scope, state.row.session));
  for (const ItemRow& item : items) {
    if (item.active && intersects(item.item.sources, gone)) change.batch.item_active.emplace_back(item.row, false);
  }
  return {};
}

// The topics that lost blocks: an open one is built again from the rest, a flushed one is written anew by the
// historian.
Status rebuild_topics(const StreamPorts& ports, SessionState& state, const std::unordered_set<BlockId>& gone,
                      const std::vector<BlockRow>& gone_rows, StreamChange& change) {
  std::map<TopicId, std::size_t> touched;
  for (const BlockRow& row : gone_rows) {
    if (!row.topic.empty()) ++touched[row.topic];
  }
  for (const auto& [id, count] : touched) {
    WEFT_TRY(auto topic, ports.store.streams().topic(state.row.scope, state.row.session, id));
    if (!topic) continue;
    WEFT_TRY(auto blocks, load_topic_blocks(ports.store, *topic));
    std::erase_if(blocks, [&](const LogicalBlock& block) { return gone.contains(block.id); });
    topic->tokens = 0;
    topic->blocks = static_cast<std::int64_t>(blocks.size());
    for (const LogicalBlock& block : blocks) topic->tokens += block.total_tokens;
    const bool was_open = topic->status == TopicStatus::kOpen;
    topic->status = TopicStatus::kFlushed;
    topic->reason = FlushReason::kBranch;
    topic->done = blocks.empty();
    if (was_open && !blocks.empty()) {
      topic->status = TopicStatus::kOpen;
      topic->trace.clear();  // it is made again when the next block comes to the topic
      state.topic = OpenTopic{*topic, std::move(blocks)};
      change.set(state.topic->row);
      continue;
    }
    if (was_open) {
      state.topic.reset();
      state.row.open_topic = {};
    }
    change.set(*topic);
    if (!topic->done) change.flushed.push_back(*topic);
  }
  return {};
}

// The block at the cut goes on from what is left of it.
Status reopen_block(const StreamPorts& ports, SessionState& state, StreamChange& change) {
  state.parser = {};
  state.row.open_block = {};
  if (state.path.empty()) return {};
  const BlockId last = state.path.back().block;
  WEFT_TRY(auto row, ports.store.streams().block(state.row.scope, state.row.session, last));
  const bool whole = row && row->last_seq == state.path.back().seq && row->status != BlockStatus::kOpen;
  if (whole) return {};
  WEFT_TRY(const auto messages, ports.store.messages().of_block(state.row.scope, state.row.session, last));
  for (const MessageRow& message : messages) {
    if (message.seq > state.path.back().seq || !message.active) continue;
    (void)state.parser.feed(message.message, message.tokens, last);
  }
  if (!state.parser.processing() || !row) return {};
  state.row.open_block = last;
  row->status = BlockStatus::kOpen;
  row->topic = {};
  row->last_seq = state.path.back().seq;
  change.set(*row);
  return {};
}

// Of a message, and without a digest of the scope itself: that something was erased there.
std::string erased_message_mark(const ScopeKey& scope, std::optional<std::uint64_t> digest = {}) {
  const std::string text = scope.str() + "\n" + (digest ? std::to_string(*digest) : "");
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("gone-{:016x}{:016x}", hash.high64, hash.low64);
}

// Where the new messages of a history begin: behind its last answer, or with what a last answer replies to.
std::size_t begin_of_new(std::span<const Message> history) {
  const auto is_answer = [&](std::size_t at) { return history[at - 1].role == Role::kAssistant; };
  std::size_t at = history.size();
  while (at > 0 && is_answer(at)) --at;
  while (at > 0 && !is_answer(at)) --at;
  return at;
}

}  // namespace

void note_erased(const ScopeKey& scope, std::uint64_t digest, WriteBatch& batch) {
  batch.marks.push_back(erased_message_mark(scope));
  batch.marks.push_back(erased_message_mark(scope, digest));
}

Result<std::vector<std::size_t>> erased_before(Store& store, const ScopeKey& scope, const std::vector<PathNode>& path,
                                               std::span<const Message> history) {
  std::vector<std::size_t> erased;
  WEFT_TRY(const bool any, store.has_mark(erased_message_mark(scope)));
  if (!any) return erased;
  std::unordered_map<std::uint64_t, std::size_t> surplus;  // how many more of a kind the history has than the path
  for (const Message& message : history) ++surplus[digest_of(message)];
  for (const PathNode& node : path)
    if (const auto at = surplus.find(node.digest); at != surplus.end() && at->second > 0) --at->second;
  const std::size_t end = begin_of_new(history);
  for (std::size_t i = 0; i < end; ++i) {
    const std::uint64_t digest = digest_of(history[i]);
    std::size_t& left = surplus[digest];
    if (left == 0) continue;
    WEFT_TRY(const bool is_erased, store.has_mark(erased_message_mark(scope, digest)));
    if (!is_erased) continue;
    --left;
    erased.push_back(i);
  }
  return erased;
}

Status drop_erased(Store& store, const ScopeKey& scope, const std::vector<PathNode>& path,
                   std::vector<Message>& history) {
  WEFT_TRY(const auto erased, erased_before(store, scope, path, history));
  for (auto at = erased.rbegin(); at != erased.rend(); ++at)
    history.erase(history.begin() + static_cast<std::ptrdiff_t>(*at));
  return {};
}

Alignment align_history(const std::vector<PathNode>& path, std::span<const std::uint64_t> history) {
  Alignment best;
  best.known = common(path, 0, history);
  // Clients drop the oldest messages of a long history: then it begins somewhere in the middle. One equal message there
  // ("继续") proves nothing unless it is the last.
  for (std::size_t offset = 1; offset < path.size() && best.known < history.size(); ++offset) {
    if (path[offset].digest != history[0]) continue;
    const std::size_t length = common(path, offset, history);
    const bool sure = length >= 2 || offset + length == path.size();
    if (sure && length > best.known) best = {offset, length, 0};
  }
  best.keep = best.known == 0 && !edited_from_the_start(path, history) ? path.size() : best.offset + best.known;
  return best;
}

Status rewind(const StreamPorts& ports, SessionState& state, std::size_t keep, StreamChange& change) {
  if (keep >= state.path.size()) return {};
  std::unordered_set<std::int64_t> gone_seqs;
  for (std::size_t i = keep; i < state.path.size(); ++i) gone_seqs.insert(state.path[i].seq);
  WEFT_TRY(const auto branch, ports.store.messages().branch(state.row.scope, state.row.session, true));
  std::unordered_set<MessageId> gone;
  for (const MessageRow& message : branch) {
    if (!gone_seqs.contains(message.seq)) continue;
    gone.insert(message.message.id);
    change.batch.message_active.emplace_back(message.seq, false);
  }
  WEFT_CHECK(deactivate_items(ports.store, state, gone, change));

  std::unordered_set<BlockId> gone_blocks;
  for (std::size_t i = keep; i < state.path.size(); ++i) gone_blocks.insert(state.path[i].block);
  std::vector<BlockRow> gone_rows;
  for (const BlockId& id : gone_blocks) {
    WEFT_TRY(auto row, ports.store.streams().block(state.row.scope, state.row.session, id));
    if (!row) continue;
    gone_rows.push_back(*row);
    row->active = false;
    change.set(std::move(*row));
  }
  std::erase_if(state.waiting, [&](const LogicalBlock& block) { return gone_blocks.contains(block.id); });
  state.path.resize(keep);
  state.row.head = state.path.empty() ? 0 : state.path.back().seq;
  WEFT_CHECK(rebuild_topics(ports, state, gone_blocks, gone_rows, change));
  WEFT_CHECK(reopen_block(ports, state, change));
  change.batch.sessions.assign(1, state.row);
  return {};
}

Result<std::vector<Incoming>> follow_branch(Store& store, const SessionState& state, std::span<const Message> history) {
  std::vector<Incoming> incoming;
  WEFT_TRY(const auto tree, store.messages().tree(state.row.scope, state.row.session));
  std::multimap<std::int64_t, const MessageRow*> children;
  for (const MessageRow& node : tree) {
    if (node.message.role != Role::kSystem) children.emplace(node.parent, &node);
  }
  std::int64_t at = state.path.empty() ? 0 : state.path.back().seq;
  bool on_known_branch = true;
  for (const Message& message : history) {
    const std::uint64_t digest = digest_of(message);
    const MessageRow* known = nullptr;
    if (on_known_branch && message.role != Role::kSystem) {
      for (auto [child, end] = children.equal_range(at); child != end; ++child) {
        if (child->second->digest == digest) known = child->second;
      }
      on_known_branch = known != nullptr;
    }
    Incoming next{message, 0};
    if (known != nullptr) {
      at = known->seq;
      next.seq = known->seq;
      next.message.id = known->message.id;
      next.message.time = known->message.time;
      next.message.name = known->message.name;
      next.message.sender_id = known->message.sender_id;
    }
    incoming.push_back(std::move(next));
  }
  return incoming;
}

}  // namespace weft
