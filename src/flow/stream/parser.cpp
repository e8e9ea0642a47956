#include "flow/stream/parser.h"

#include <algorithm>
#include <utility>

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

}  // namespace weft
