#include "engine/lead_maker.h"

#include <algorithm>

#include "base/log.h"
#include "base/prompts.h"
#include "flow/historian/kept_facts.h"
#include "flow/stream/running_summary.h"
#include "model/message_reader.h"
#include "ports/chat/chat_model.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostReady = 256;
constexpr std::size_t kMostBytes = 1200;  // shown of each message
constexpr std::size_t kShortest = 20;     // bytes; less is no summary

std::string shown(const std::vector<LogicalBlock>& blocks, const std::string& lead) {
  std::string text = lead.empty() ? "" : lead + "\n";
  const auto line = [&text](std::string_view who, const std::string& said) {
    text += std::string(who) + ": " + std::string(cut_bytes(said, kMostBytes)) + "\n";
  };
  for (const LogicalBlock& block : blocks) {
    if (block.user_block) line("user", block.user_block->content);
    for (const Triplet& step : block.execution_chain)
      if (step.call) line("call", step.call->name + " " + step.call->arguments);
    if (block.response_block) line("assistant", block.response_block->content);
  }
  return text;
}

}  // namespace

bool LeadMaker::prepare(const TopicId& topic, const std::vector<LogicalBlock>& blocks, const std::string& lead) {
  auto state = state_.lock();
  if (state->ready.contains(topic)) return false;
  if (state->ready.size() >= kMostReady) state->ready.clear();
  state->ready[topic] = {};
  state->wishes.push_back({topic, blocks, lead, CallContext::to_hand_over()});
  return true;
}

std::optional<std::string> LeadMaker::take(const TopicId& topic, const std::vector<LogicalBlock>& blocks,
                                           std::int64_t max_tokens) {
  Ready ready;
  {
    auto state = state_.lock();
    const auto at = state->ready.find(topic);
    if (at == state->ready.end()) return std::nullopt;
    ready = std::move(at->second);
    state->ready.erase(at);
  }
  if (ready.text.empty() || ready.blocks > blocks.size()) return std::nullopt;
  if (ready.blocks == blocks.size()) return ready.text;
  const std::vector<LogicalBlock> since(blocks.begin() + static_cast<std::ptrdiff_t>(ready.blocks), blocks.end());
  const std::string more = running_summary(since, "", max_tokens / 2);
  return more.empty() ? ready.text : ready.text + "\n" + more;
}

void LeadMaker::work(std::stop_token stop) {
  while (!stop.stop_requested()) {
    Wish wish;
    {
      auto state = state_.lock();
      if (state->wishes.empty()) return;
      wish = std::move(state->wishes.front());
      state->wishes.pop_front();
    }
    const CallScope call(wish.context);
    const std::string talk = shown(wish.blocks, wish.lead);
    ChatRequest request;
    request.max_tokens = config_.historian.summary_tokens * 2;
    request.messages = {
        make_message(
            Role::kSystem,
            std::string(shipped_prompt("summary", language_of(talk) == Language::kChinese ? "zh" : "en").text)),
        make_message(Role::kUser, talk)};
    const auto limit = std::chrono::milliseconds(config_.cognitive.model_timeout_ms);
    const auto reply = model_->complete(request, Deadline({}, stop).within(limit));
    auto state = state_.lock();
    const auto at = state->ready.find(wish.topic);
    if (at == state->ready.end()) continue;  // cut meanwhile
    // What was added is worse than what is left out: a number or a name that nobody said.
    const bool taken = reply.ok() && reply->message.content.size() >= kShortest &&
                       missing_facts(facts_to_keep(reply->message.content, {}), talk).empty();
    if (!taken) {
      log_warning("stream.summary", "a running summary is made without the model: " +
                                        (reply.ok() ? std::string("its answer tells what nobody said, or nothing")
                                                    : reply.error().message));
      continue;  // asked once a topic
    }
    at->second = {wish.blocks.size(), reply->message.content};
  }
}

}  // namespace weft
