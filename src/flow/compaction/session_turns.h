#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/token_counter.h"
#include "weft/message.h"

namespace weft {

/// Messages [begin, end) of a history that stay together.
struct MessageRange {
  std::size_t begin = 0, end = 0;
  std::int64_t tokens = 0;
  bool open = false;  ///< holds a call that has no output

  std::size_t size() const { return end - begin; }
};

/// How a history falls apart without ever parting a call from its output.
struct SessionTurns {
  std::vector<MessageRange> turns;  ///< a user's message with all that follows; what stands before the first is one too
  std::vector<MessageRange> steps;  ///< the same, finer: an assistant's message with its outputs is one of its own
  std::vector<std::int64_t> tokens;  ///< of each message
};

/// Tokens of a message as it is sent, with what the chat form adds.
std::int64_t sent_tokens(const Message& message, const TokenCounter& tokens);

/// Cuts a history. An output belongs to the nearest call of its id before it that has none yet; where user messages
/// stand between the two, their turns become one. Outputs without a call stay with what stands before them. Linear.
SessionTurns split_session(const std::vector<Message>& history, const TokenCounter& tokens);

}  // namespace weft
