#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"
#include "weft/task.h"

namespace weft::proxy {

/// The tools that the body of a chat call, or of one of the Responses API, offers, in its order; empty where it has
/// none, or one of them cannot be read. `body` is a valid JSON object.
std::vector<ToolInfo> tools_in(std::string_view body);

/// The body with those of its tools alone that are named, each byte for byte as it came. Tools that are no functions (a
/// server's own), and one that "tool_choice" asks for, stay. The body as it is where nothing would be left.
std::string with_tools(std::string body, const std::vector<std::string>& names);

}  // namespace weft::proxy
