#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "weft/message.h"

namespace weft {

/// A call of a tool that failed, and what became of it.
struct FailedCall {
  std::string tried;       ///< the tool's name and its arguments
  std::string reason;      ///< in the words of its output
  std::string handled;  ///< what followed: the like call that worked, else the thought after it; empty: nothing yet
  std::size_t output = 0;  ///< place of the output in the messages
};

/// The failed calls in messages, in order. A later call of the same tool with like arguments that worked is what was
/// done about one; where there is none, what the model said next, until the user spoke again. Linear but for looking
/// ahead a few dozen calls from each failure.
std::vector<FailedCall> failed_calls(const std::vector<const Message*>& messages);

}  // namespace weft
