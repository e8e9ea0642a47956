#include "flow/stream/session_state.h"

#include <xxhash.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "flow/stream/topic_shift.h"
#include "text/markup.h"
#include "text/speaker_prefix.h"

namespace weft {
namespace {

std::string thought_of(const Message& message) {
  if (message.reasoning.empty()) return message.content;
  if (message.content.empty()) return message.reasoning;
  return message.reasoning + "\n" + message.content;
}

}  // namespace

ParseStep StreamParser::feed(const Message& said, std::int64_t tokens, const BlockId& fallback_id) {
  ParseStep step;
  // Blocks name the speaker beside the text.
  std::optional<Message> alone;
  if (const auto text = without_speaker(said.content, said.name); text.size() != said.content.size()) {
    alone = said;
    alone->content = text;
  }
  const Message& message = alone ? *alone : said;
  switch (message.role) {
    case Role::kSystem: step.action = "system"; break;
    case Role::kUser: take_user(message, tokens, fallback_id, step); break;
    case Role::kAssistant: take_assistant(message, tokens, fallback_id, step); break;
    case Role::kTool: take_tool(message, tokens, fallback_id, step); break;
  }
  return step;
}

std::optional<LogicalBlock> StreamParser::close() {
  if (!open_) return std::nullopt;
  // An answer that came before the last outputs makes the block whole all the same.
  open_->status = open_->response_block ? BlockStatus::kSealed : BlockStatus::kInterrupted;
  return std::exchange(open_, std::nullopt);
}

void StreamParser::begin(const Message& message, const BlockId& id) {
  open_.emplace();
  open_->id = id;
  open_->timestamp = open_->last_time = message.time.value_or(Time{});
}

void StreamParser::add_source(const Message& message, std::int64_t tokens) {
  open_->sources.push_back(message.id);
  open_->total_tokens += tokens;
  open_->last_time = message.time.value_or(open_->last_time);
}

void StreamParser::take_user(const Message& message, std::int64_t tokens, const BlockId& id, ParseStep& step) {
  if (auto interrupted = close()) {
    if (interrupted->status == BlockStatus::kInterrupted) step.notes.push_back("the open block was interrupted");
    step.closed.push_back(std::move(*interrupted));
  }
  begin(message, id);
  add_source(message, tokens);
  open_->user_block = message;
  open_->anchor_text = message.content;
  step.action = "opened";
}

void StreamParser::take_assistant(const Message& message, std::int64_t tokens, const BlockId& id, ParseStep& step) {
  if (!open_) {
    begin(message, id);
    step.notes.push_back("no user message before it");
  }
  add_source(message, tokens);
  if (!message.tool_calls.empty()) {
    stage_calls(message, step);
    step.action = "staged";
    return;
  }
  if (message.content.empty() && !message.reasoning.empty()) {
    stage_thought(message.reasoning);
    step.action = "staged";
    return;
  }
  // A second answer while outputs are missing: the first was only a thought on the way.
  if (open_->response_block) stage_thought(thought_of(*open_->response_block));
  open_->response_block = message;
  if (waits_for_outputs()) {
    step.action = "staged";
    step.notes.push_back("an answer came before the output of a call; the block waits");
    return;
  }
  seal(step);
}

void StreamParser::take_tool(const Message& message, std::int64_t tokens, const BlockId& id, ParseStep& step) {
  if (!open_) begin(message, id);
  add_source(message, tokens);
  step.action = "observed";
  auto& chain = open_->execution_chain;
  // From the back: where a call id was used twice, the unanswered one is the later one.
  const auto waiting = std::find_if(chain.rbegin(), chain.rend(), [&](const Triplet& triplet) {
    return triplet.call && !triplet.observation && triplet.call->id == message.tool_call_id;
  });
  if (waiting == chain.rend()) {
    step.notes.push_back("no open call \"" + message.tool_call_id + "\"; the output is kept");
    chain.push_back({{}, std::nullopt, message});
    return;
  }
  waiting->observation = message;
  if (open_->response_block && !waits_for_outputs()) seal(step);
}

void StreamParser::stage_calls(const Message& message, ParseStep& step) {
  auto& chain = open_->execution_chain;
  std::string thought = thought_of(message);
  for (const ToolCall& call : message.tool_calls) {
    // An output that came before its call stands in the chain without one.
    const auto early = std::find_if(chain.begin(), chain.end(), [&](const Triplet& triplet) {
      return !triplet.call && triplet.observation && triplet.observation->tool_call_id == call.id;
    });
    if (early != chain.end()) {
      early->call = call;
      early->thought = std::exchange(thought, {});
      step.notes.push_back("the output of \"" + call.id + "\" came before the call");
      continue;
    }
    const bool only_thought = !chain.empty() && !chain.back().call && !chain.back().observation;
    if (only_thought) {
      Triplet& last = chain.back();
      if (!thought.empty()) last.thought += "\n" + std::exchange(thought, {});
      last.call = call;
      continue;
    }
    chain.push_back({std::exchange(thought, {}), call, std::nullopt});
  }
}

void StreamParser::stage_thought(std::string thought) {
  auto& chain = open_->execution_chain;
  const bool only_thought = !chain.empty() && !chain.back().call && !chain.back().observation;
  if (only_thought) {
    chain.back().thought += "\n" + thought;
  } else {
    chain.push_back({std::move(thought), std::nullopt, std::nullopt});
  }
}

bool StreamParser::waits_for_outputs() const {
  return std::any_of(open_->execution_chain.begin(), open_->execution_chain.end(),
                     [](const Triplet& triplet) { return triplet.call && !triplet.observation; });
}

void StreamParser::seal(ParseStep& step) {
  step.action = "sealed";
  open_->status = BlockStatus::kSealed;
  step.closed.push_back(std::move(*open_));
  open_.reset();
}

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
