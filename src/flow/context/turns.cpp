#include "flow/context/turns.h"

namespace weft {
namespace {

constexpr std::int64_t kTokensAMessage = 4;  // role and separators in the common chat forms

}  // namespace

std::int64_t message_tokens(const Message& message, const TokenCounter& tokens) {
  std::int64_t count = kTokensAMessage + tokens.count(message.content);
  if (!message.reasoning.empty()) count += tokens.count(message.reasoning);
  for (const ToolCall& call : message.tool_calls)
    count += kTokensAMessage + tokens.count(call.name) + tokens.count(call.arguments);
  return count;
}

std::vector<Turn> split_turns(const std::vector<HistoryMessage>& history, const TokenCounter& tokens) {
  std::vector<Turn> turns;
  for (const HistoryMessage& entry : history) {
    if (turns.empty() || entry.message.role == Role::kUser) turns.emplace_back();
    turns.back().messages.push_back(&entry);
    turns.back().tokens += message_tokens(entry.message, tokens);
  }
  return turns;
}

}  // namespace weft
