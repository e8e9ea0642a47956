#include "flow/stream/session_state.h"

#include <xxhash.h>

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "flow/stream/topic_shift.h"
#include "text/thoughts.h"

namespace weft {

std::uint64_t digest_of(const Message& message) {
  // Whether a client sends a model's thoughts again or not, it is the same answer.
  const std::string said = message.role == Role::kAssistant ? split_thoughts(message.content).said : std::string();
  const std::string_view text = trimmed(message.role == Role::kAssistant ? said : message.content);
  // Lengths stand before the parts, so that no two different messages run together to the same bytes.
  std::string bytes;
  const auto add = [&bytes](std::string_view part) {
    bytes += std::to_string(part.size());
    bytes += ':';
    bytes += part;
  };
  add(to_string(message.role));
  add(text);
  add(message.tool_call_id);
  for (const ToolCall& call : message.tool_calls) {
    add(call.name);
    add(call.arguments);
  }
  return XXH3_64bits(bytes.data(), bytes.size());
}

PathNode path_node(const MessageRow& row, const BlockId& block) {
  return {row.seq, row.digest, block, row.message.id, row.message.role, row.tokens, row.chain};
}

LogicalBlock rebuild_block(const BlockRow& row, const std::vector<MessageRow>& messages) {
  StreamParser parser;
  std::vector<LogicalBlock> closed;
  for (const MessageRow& message : messages) {
    ParseStep step = parser.feed(message.message, message.tokens, row.id);
    std::move(step.closed.begin(), step.closed.end(), std::back_inserter(closed));
  }
  if (auto rest = parser.close()) closed.push_back(std::move(*rest));
  LogicalBlock block = closed.empty() ? LogicalBlock{} : std::move(closed.front());
  block.id = row.id;
  block.status = row.status;
  return block;
}

Result<std::vector<LogicalBlock>> load_blocks(Store& store, const std::vector<BlockRow>& rows) {
  std::vector<LogicalBlock> blocks;
  for (const BlockRow& row : rows) {
    WEFT_TRY(auto messages, store.messages().of_block(row.scope, row.session, row.id));
    std::erase_if(messages, [](const MessageRow& message) { return !message.active; });
    if (!messages.empty()) blocks.push_back(rebuild_block(row, messages));
  }
  return blocks;
}

Result<std::vector<LogicalBlock>> load_topic_blocks(Store& store, const TopicRow& topic) {
  WEFT_TRY(const auto rows, store.streams().topic_blocks(topic.scope, topic.session, topic.id));
  return load_blocks(store, rows);
}

namespace {

/// Where no topic is open the last one has what is known of the conversation.
Status restore_trace(Store& store, SessionState& state) {
  for (auto node = state.path.rbegin(); node != state.path.rend(); ++node) {
    if (node->block.empty() || node->block == state.row.open_block) continue;
    WEFT_TRY(const auto block, store.streams().block(state.row.scope, state.row.session, node->block));
    if (!block || block->topic.empty()) continue;
    WEFT_TRY(const auto topic, store.streams().topic(state.row.scope, state.row.session, block->topic));
    if (!topic || topic->trace.empty()) return {};
    state.last_trace = topic->trace;
    state.last_topic = topic->id;
    return {};
  }
  return {};
}

}  // namespace

Result<SessionState> restore_session(Store& store, const ScopeKey& scope, const SessionId& session) {
  SessionState state;
  state.row.scope = scope;
  state.row.session = session;
  WEFT_TRY(auto row, store.streams().session(scope, session));
  if (!row) return state;
  state.row = std::move(*row);
  WEFT_TRY(const auto branch, store.messages().branch(scope, session, true));
  for (const MessageRow& message : branch) {
    if (message.message.role != Role::kSystem) state.path.push_back(path_node(message, message.block));
  }
  if (!state.row.open_block.empty()) {
    WEFT_TRY(const auto messages, store.messages().of_block(scope, session, state.row.open_block));
    for (const MessageRow& message : messages) {
      if (message.active) (void)state.parser.feed(message.message, message.tokens, state.row.open_block);
    }
  }
  WEFT_TRY(const auto waiting, store.streams().waiting_blocks(scope, session));
  WEFT_TRY(auto blocks, load_blocks(store, waiting));
  state.waiting.assign(std::make_move_iterator(blocks.begin()), std::make_move_iterator(blocks.end()));
  if (!state.row.open_topic.empty()) {
    WEFT_TRY(auto topic, store.streams().topic(scope, session, state.row.open_topic));
    if (topic && topic->status == TopicStatus::kOpen) {
      state.topic.emplace();
      WEFT_TRY(state.topic->blocks, load_topic_blocks(store, *topic));
      state.topic->row = std::move(*topic);
      // One of a former version is made anew, as an empty one is.
      if (!TopicTrace::load(state.topic->row.trace).ok()) state.topic->row.trace.clear();
    }
  }
  if (!state.topic) WEFT_CHECK(restore_trace(store, state));
  return state;
}

}  // namespace weft
