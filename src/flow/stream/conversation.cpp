#include "flow/stream/conversation.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/strings.h"
#include "text/utf8.h"

namespace weft {
namespace {

template <class Marks>
auto users_in(const Marks& marks) {
  return std::count_if(marks.begin(), marks.end(), [](const auto& one) { return one.role == Role::kUser; });
}

std::u32string code_points(std::string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) out.push_back(next_code_point(text, at));
  return out;
}

}  // namespace

Relation relation_of(std::span<const PathNode> path, std::size_t offset, std::size_t known,
                     std::span<const HistoryMark> history) {
  if (known == 0) return Relation::kOther;
  const auto left = path.subspan(offset + known);
  const auto added = history.subspan(known);
  if (left.empty()) return added.empty() ? Relation::kSame : Relation::kContinues;
  const auto users_left = users_in(left);
  if (users_left == 0) {
    // Only answers and steps of the newest turn are left behind.
    if (users_in(added) == 0) return Relation::kReplacesReply;
    const bool other_words = left.size() == 1 && added.size() >= 2 && left[0].role == Role::kAssistant &&
                             added[0].role == Role::kAssistant && added[1].role == Role::kUser;
    return other_words ? Relation::kOtherReply : Relation::kOther;
  }
  const bool edited = users_left == 1 && left[0].role == Role::kUser && added.size() == 1 && users_in(added) == 1;
  return edited ? Relation::kReplacesTurn : Relation::kOther;
}

bool is_edit_of(std::string_view text, std::string_view other) {
  text = trimmed(text);
  other = trimmed(other);
  if (text.empty() || other.empty()) return false;
  if (text.find(other) != std::string_view::npos || other.find(text) != std::string_view::npos) return true;
  const auto a = code_points(text), b = code_points(other);
  const auto shorter = std::min(a.size(), b.size());
  std::size_t front = 0, back = 0;
  while (front < shorter && a[front] == b[front]) ++front;
  while (front + back < shorter && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
  return 2 * (front + back) >= std::max(a.size(), b.size());
}

std::vector<HistoryMark> marks_of(std::span<const Message> spoken) {
  std::vector<HistoryMark> marks;
  for (const Message& message : spoken) marks.push_back({digest_of(message), message.role});
  return marks;
}

std::vector<std::uint64_t> chains_of(std::span<const HistoryMark> history) {
  std::vector<std::uint64_t> chains;
  for (const HistoryMark& mark : history) chains.push_back(chained(chains.empty() ? 0 : chains.back(), mark.digest));
  return chains;
}

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

// `what`: a chain or a digest of a message; empty: that something was erased from the scope.
std::string gone_mark(const ScopeKey& scope, const std::string& what = {}) {
  const std::string text = scope.str() + "\n" + what;
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("gone-{:016x}{:016x}", hash.high64, hash.low64);
}

std::string gone_chain(const ScopeKey& scope, std::uint64_t chain) {
  return gone_mark(scope, "chain " + std::to_string(chain));
}

std::string gone_digest(const ScopeKey& scope, std::uint64_t digest) {
  return gone_mark(scope, "digest " + std::to_string(digest));
}

// Whether one like it was erased, and none like it is left.
Result<bool> is_erased_everywhere(Store& store, const ScopeKey& scope, std::uint64_t digest) {
  WEFT_TRY(const bool was_erased, store.has_mark(gone_digest(scope, digest)));
  if (!was_erased) return false;
  WEFT_TRY(const auto left, store.messages().with_digest(scope, digest, 1));
  return left.empty();
}

}  // namespace

void note_erased(const ScopeKey& scope, const MessageRow& message, WriteBatch& batch) {
  batch.marks.push_back(gone_mark(scope));
  batch.marks.push_back(gone_chain(scope, message.chain));
  batch.marks.push_back(gone_digest(scope, message.digest));
}

void note_never_kept(const ScopeKey& scope, const Message& message, WriteBatch& batch) {
  batch.marks.push_back(gone_mark(scope));
  batch.marks.push_back(gone_digest(scope, digest_of(message)));
}

void note_said_again(const ScopeKey& scope, std::uint64_t chain, WriteBatch& batch) {
  batch.erased_marks.push_back(gone_chain(scope, chain));
}

Result<LeftHistory> without_erased(Store& store, const ScopeKey& scope, std::span<const Message> history) {
  LeftHistory left;
  const std::vector<HistoryMark> marks = marks_of(history);
  left.chains = chains_of(marks);
  left.places.resize(history.size());
  std::iota(left.places.begin(), left.places.end(), std::size_t{0});
  if (history.empty()) return left;
  WEFT_TRY(const bool any, store.has_mark(gone_mark(scope)));
  if (!any) return left;
  const std::vector<std::uint64_t> chains = std::exchange(left.chains, {});
  left.places.clear();
  WEFT_TRY(const auto openings, store.messages().with_chain(scope, chains.front(), 1));
  WEFT_TRY(const bool lost_opening, store.has_mark(gone_chain(scope, chains.front())));
  const bool is_whole = !openings.empty() || lost_opening;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const bool is_last = i + 1 == history.size();
    WEFT_TRY(bool is_erased, store.has_mark(gone_chain(scope, chains[i])));
    if (is_last) left.says_again = is_erased;
    if (!is_erased && !is_last) {
      WEFT_TRY(is_erased, is_erased_everywhere(store, scope, marks[i].digest));
    }
    if (is_erased && !is_last) {
      left.has_gaps = is_whole;
      continue;
    }
    left.places.push_back(i);
    left.chains.push_back(chains[i]);
  }
  return left;
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
  std::int64_t at = state.path.empty() ? 0 : state.path.back().seq;
  MessageRows& messages = store.messages();
  WEFT_TRY(const bool goes_on, messages.has_child(state.row.scope, state.row.session, at));
  std::vector<MessageRow> tree;
  if (goes_on) {
    WEFT_TRY(tree, messages.tree(state.row.scope, state.row.session));
  }
  std::multimap<std::int64_t, const MessageRow*> children;
  for (const MessageRow& node : tree) {
    if (node.message.role != Role::kSystem) children.emplace(node.parent, &node);
  }
  bool on_known_branch = goes_on;
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
