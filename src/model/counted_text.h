#pragma once

#include <string>

#include "weft/message.h"

namespace weft {

/// What of a message is counted as tokens: thought, text, and calls with their arguments.
inline std::string counted_text(const Message& message) {
  std::string text = message.reasoning + message.content;
  for (const ToolCall& call : message.tool_calls) text += call.name + call.arguments;
  return text;
}

}  // namespace weft
