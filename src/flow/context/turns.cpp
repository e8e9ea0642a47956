#include "flow/context/turns.h"

#include "flow/compaction/session_turns.h"

namespace weft {

std::int64_t sent_tokens(const HistoryMessage& entry, const TokenCounter& tokens) {
  return entry.tokens > 0 ? entry.tokens : sent_tokens(entry.message, tokens);
}

std::vector<Turn> split_turns(const std::vector<HistoryMessage>& history, const TokenCounter& tokens) {
  std::vector<Turn> turns;
  for (const HistoryMessage& entry : history) {
    if (turns.empty() || entry.message.role == Role::kUser) turns.emplace_back();
    turns.back().messages.push_back(&entry);
    turns.back().tokens += sent_tokens(entry, tokens);
  }
  return turns;
}

std::vector<Turn> split_steps(const Turn& turn, const TokenCounter& tokens) {
  std::vector<Turn> steps;
  for (const HistoryMessage* entry : turn.messages) {
    const bool begins =
        entry->message.role != Role::kTool && !(steps.size() == 1 && entry->message.role == Role::kUser);
    if (steps.empty() || begins) steps.emplace_back();
    steps.back().messages.push_back(entry);
    steps.back().tokens += sent_tokens(*entry, tokens);
    steps.back().step = true;
  }
  if (steps.size() < 3) return {turn};
  return steps;
}

}  // namespace weft
