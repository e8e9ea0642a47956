#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weft/block.h"
#include "weft/memory.h"

namespace weft {

/// A text and which bytes of it were set beside the words as said.
struct EventText {
  std::string text;
  std::vector<TextSpan> annotations;
};

/// Gives what a message says in words that need no circumstances; `said` is its text, or what is kept of a long one.
using InPlainWords = std::function<EventText(const Message& message, const std::string& said)>;

/// What happened in one block as one readable text: when, who asked what, what was done for it, what was answered; word
/// for word up to `verbatim_tokens` each, else the sentences that say most. `lead`, the summary that led into the
/// topic, says what it was about where the block itself does not. Written in the block's own language. Deterministic.
EventText event_text(const LogicalBlock& block, const std::string& lead, std::int64_t verbatim_tokens,
                     const InPlainWords& in_plain_words);

}  // namespace weft
