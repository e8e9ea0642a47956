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
  bool pinned = false;  ///< is sent whatever is trimmed around it
  bool step = false;    ///< a part of a turn that was split
};

/// Tokens that a message of the history takes in a prompt.
std::int64_t sent_tokens(const HistoryMessage& entry, const TokenCounter& tokens);

/// The history as turns; messages before the first user message are a turn of their own. The history must outlive them.
std::vector<Turn> split_turns(const std::vector<HistoryMessage>& history, const TokenCounter& tokens);

/// A turn in which tools were at work for long, as its steps: what was asked for, then one for each message of the
/// model with the outputs of its calls. One turn alone where there is only one step.
std::vector<Turn> split_steps(const Turn& turn, const TokenCounter& tokens);

}  // namespace weft
