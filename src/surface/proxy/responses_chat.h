#pragma once

#include <map>
#include <string>
#include <string_view>

#include "surface/proxy/request.h"

namespace weft::proxy {

/// A call of the Responses API, with what led to it put before, as one of chat completions: instructions, messages with
/// images and files, calls and their outputs, tools on offer, what is asked of the answer. Tools in a namespace and
/// such that take free text become functions (see `ToolNames`). What has no place there is left out: thoughts, what
/// concerns only who keeps the answer (`include`, `truncation`, `metadata`), and, counted in `left_out`, tools that run
/// at the server, what they did, and parts of other kinds. kInvalidArgument, naming the field, for conversations and
/// prompts that the server keeps, and for answers in the background that nobody keeps.
Result<ChatCall> chat_call_of(const ChatCall& call, const Config& config);

/// What a function of a chat completion is in the Responses API, where it is not a function of the same name.
struct ToolName {
  std::string name, space;  ///< with the namespace that it stands in; empty: none
  bool custom = false;  ///< it takes free text, which the function has as its "input"
};
/// Those that a call of the Responses API offers, by the function's name.
using ToolNames = std::map<std::string, ToolName>;
ToolNames tool_names_of(std::string_view body);

}  // namespace weft::proxy
