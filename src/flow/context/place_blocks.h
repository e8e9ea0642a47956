#pragma once

#include <vector>

#include "weft/message.h"
#include "weft/plan.h"

namespace weft {

/// The messages with the blocks put in where they want to stand.
///
/// `messages` are system messages, then the history, whose last user message is the input; what follows that (calls of
/// tools and their outputs) belongs to the turn that is under way and does not count as history. Places: `kSystemEnd`
/// is appended to the last of the leading system messages (or stands behind it, where the role is another one or there
/// is none); `kHistoryTop` stands before the first message of the history, `kHistoryBottom` `depth` messages before its
/// end (before its first where it is shorter), `kBeforeInput` right before the input. A call of tools is never parted
/// from its outputs: the block moves up to before the call. At one place the higher priority stands nearer to the
/// input, equal ones in the order given. Empty blocks are left out; the role "tool" becomes "system". Linear, with a
/// sort of the blocks; deterministic.
std::vector<Message> place_blocks(std::vector<Message> messages, const std::vector<FloatingBlock>& blocks);

}  // namespace weft
