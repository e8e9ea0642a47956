#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/tool.h"
#include "weft/result.h"

/// The JSON-RPC messages of the Model Context Protocol, as a client sends and reads them.
namespace weft {

/// Which of its two forms a server speaks: with a handshake (until revision 2025-11-25), or with everything a request
/// needs in the request itself (2026-07-28).
enum class McpForm { kHandshake, kStateless };

inline constexpr std::string_view kMcpHandshakeVersion = "2025-11-25";
inline constexpr std::string_view kMcpStatelessVersion = "2026-07-28";

/// A request. `parameters` is a JSON object; in the stateless form it gets its `_meta`.
std::string mcp_request(McpForm form, std::int64_t id, std::string_view method, std::string_view parameters);
std::string mcp_notification(std::string_view method, std::string_view parameters);

/// What a client answers to a server that asks something by itself: a ping is answered, all else is not offered.
/// Nothing for notifications.
std::string mcp_reply(std::string_view message);

/// The result of an answer. Its error as one of ours: kNotFound for a method that there is not (-32601),
/// kInvalidArgument for parameters (-32602), kConflict for a version that is not spoken (-32022 and its kin), else
/// kUnavailable.
Result<std::string> mcp_result(std::string_view answer);

/// A tool as a server lists it.
struct McpToolInfo {
  ToolInfo info;  ///< under the server's own name
  ToolEffects effects = ToolEffects::kSome;  ///< as its annotations say: read-only or idempotent may be repeated
  bool open_world = true;  ///< what it gives may have been written by anybody
};

struct McpToolPage {
  std::vector<McpToolInfo> tools;
  std::string next;  ///< cursor of the next page; empty: that was all
};

/// Reads a page of tools/list. What has no name is passed over.
McpToolPage mcp_tools(std::string_view result);

/// Reads the result of tools/call: texts as they are, other parts named in brackets, structured content where there is
/// no text.
ToolOutcome mcp_outcome(std::string_view result);

}  // namespace weft
