#include "flow/context/turns.h"

#include "flow/compaction/session_turns.h"

namespace weft {
std::vector<Turn> split_turns(const std::vector<HistoryMessage>& history, const TokenCounter& tokens) {
  std::vector<Turn> turns;
  for (const HistoryMessage& entry : history) {
    if (turns.empty() || entry.message.role == Role::kUser) turns.emplace_back();
    turns.back().messages.push_back(&entry);
    turns.back().tokens += sent_tokens(entry.message, tokens);
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
    steps.back().tokens += sent_tokens(entry->message, tokens);
  }
  if (steps.size() < 3) return {turn};
  steps.front().pinned = true;
  return steps;
}

}  // namespace weft
