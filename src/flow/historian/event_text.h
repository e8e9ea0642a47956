#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "weft/block.h"

namespace weft {

/// What happened in one block as one readable text: when, who asked what, what was done for it, what was answered; word
/// for word up to `verbatim_tokens` each, else the sentences that say most. `lead`, the summary that led into the
/// topic, says what it was about where the block itself does not. Written in the block's own language. `in_plain_words`
/// gives a message's text in words that need no circumstances. Deterministic.
using InPlainWords = std::function<std::string(const Message&)>;
std::string event_text(const LogicalBlock& block, const std::string& lead, std::int64_t verbatim_tokens,
                       const InPlainWords& in_plain_words);

}  // namespace weft
