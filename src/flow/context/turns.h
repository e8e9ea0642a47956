#pragma once

#include <cstdint>
#include <vector>

#include "flow/context/build_context.h"

namespace weft {

/// A user's message with all that follows it up to the next one: the unit of trimming, so that a call never loses its
/// output.
struct Turn {
  std::vector<const HistoryMessage*> messages;
  std::int64_t tokens = 0;
};

/// The history as turns; messages before the first user message are a turn of their own. The history must outlive them.
std::vector<Turn> split_turns(const std::vector<HistoryMessage>& history, const TokenCounter& tokens);

/// Tokens of a message as it is sent, with what the chat form adds.
std::int64_t message_tokens(const Message& message, const TokenCounter& tokens);

}  // namespace weft
