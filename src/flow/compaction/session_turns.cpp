#include "flow/compaction/session_turns.h"

#include <string_view>
#include <unordered_map>

#include "model/model_families.h"

namespace weft {
namespace {

constexpr std::int64_t kTokensAMessage = 4;  // role and separators in the common chat forms

// Pairs of calls and outputs: where no cut may fall, and which messages hold a call that was never answered.
struct Pairs {
  std::vector<int> crossing;  ///< how many pairs would be parted by a cut before the message
  std::vector<bool> unanswered;
};

Pairs pair_calls(const std::vector<Message>& history) {
  Pairs pairs;
  pairs.crossing.assign(history.size() + 1, 0);
  pairs.unanswered.assign(history.size(), false);
  std::unordered_map<std::string_view, std::vector<std::size_t>> waiting;  // by id of the call
  for (std::size_t i = 0; i < history.size(); ++i) {
    for (const ToolCall& call : history[i].tool_calls) waiting[call.id].push_back(i);
    if (history[i].role != Role::kTool) continue;
    const auto found = waiting.find(history[i].tool_call_id);
    if (found == waiting.end() || found->second.empty()) continue;
    const std::size_t call = found->second.back();
    found->second.pop_back();
    ++pairs.crossing[call + 1];
    --pairs.crossing[i + 1];
  }
  for (const auto& [id, calls] : waiting) {
    for (const std::size_t call : calls) pairs.unanswered[call] = true;
  }
  for (std::size_t i = 1; i <= history.size(); ++i) pairs.crossing[i] += pairs.crossing[i - 1];
  return pairs;
}

}  // namespace

std::int64_t sent_tokens(const Message& message, const TokenCounter& tokens) {
  std::int64_t count = kTokensAMessage + tokens.count(message.content) + media_tokens(message.raw);
  if (!message.reasoning.empty()) count += tokens.count(message.reasoning);
  for (const ToolCall& call : message.tool_calls)
    count += kTokensAMessage + tokens.count(call.name) + tokens.count(call.arguments);
  return count;
}

SessionTurns split_session(const std::vector<Message>& history, const TokenCounter& tokens) {
  SessionTurns session;
  const Pairs pairs = pair_calls(history);
  const auto add = [&](std::vector<MessageRange>& ranges, std::size_t i, bool begins) {
    if (ranges.empty() || begins) ranges.push_back({i, i, 0, false});
    MessageRange& range = ranges.back();
    range.end = i + 1;
    range.tokens += session.tokens[i];
    range.open = range.open || pairs.unanswered[i];
  };
  for (std::size_t i = 0; i < history.size(); ++i) {
    session.tokens.push_back(sent_tokens(history[i], tokens));
    const bool safe = pairs.crossing[i] == 0;
    add(session.turns, i, safe && history[i].role == Role::kUser);
    // A user's message is a step of its own: it can be kept while what followed it is summarised.
    const bool after_user = i > 0 && history[i - 1].role == Role::kUser;
    add(session.steps, i, safe && (history[i].role != Role::kTool || after_user));
  }
  return session;
}

}  // namespace weft
