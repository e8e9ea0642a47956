#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flow/historian/absolutise.h"
#include "weft/block.h"
#include "weft/config.h"

namespace weft {

/// The circumstances of one message of a topic: who said it to whom, when, and what had been said before. Speakers
/// without a name are "the user" and "the assistant".
/// Words are annotated or replaced as the gate that is configured wants them; who said it stands before an event's
/// line.
Speech speech_of(const std::vector<LogicalBlock>& blocks, std::size_t block, const Message& message,
                 const Config& config);

/// Whether nothing is said in a block: greetings, thanks, confirmations on both sides, and no tool was used.
bool is_empty_talk(const LogicalBlock& block);

}  // namespace weft
