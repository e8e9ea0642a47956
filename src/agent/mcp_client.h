#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool.h"
#include "ports/mcp/mcp_transport.h"
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

/// How a server of the Model Context Protocol is reached: an entry of "mcpServers" in mcp.json, in the form that
/// clients share.
struct McpServer {
  std::string name;
  std::vector<std::string> command;  ///< a program and its arguments; empty: `url`
  std::vector<std::pair<std::string, std::string>> environment;
  std::string url;
  HttpHeaders headers;
  std::vector<std::string> tools;  ///< only these of its tools, by its own names; empty: all
  std::chrono::milliseconds timeout{60000};  ///< of one call
};

/// Reads {"mcpServers": {NAME: {"command", "args", "env", "url", "headers", "tools", "timeout_ms", "disabled"}}}.
/// ${NAME} in values is taken from the environment; one that is not set is an error. `what` names the text in errors.
Result<std::vector<McpServer>> parse_mcp_servers(std::string_view json, std::string_view what);

/// One server. It is begun with at the first use, and again when it has gone away. Safe from many threads.
class McpClient : public std::enable_shared_from_this<McpClient> {
 public:
  /// Gives the transport to a server; `on_message` answers what it asks by itself.
  using Open = std::function<Result<std::unique_ptr<McpTransport>>(const McpServer&, McpTransport::OnMessage)>;

  static std::shared_ptr<McpClient> make(McpServer server, Open open) {
    return std::shared_ptr<McpClient>(new McpClient(std::move(server), std::move(open)));
  }

  const McpServer& server() const { return server_; }

  /// The tools that the server offers, ready to be called: each named SERVER_TOOL, in letters that models can call. A
  /// name of `taken`, to which these names are added, gets a number.
  Result<std::vector<std::shared_ptr<Tool>>> tools(const Deadline& deadline, std::set<std::string>& taken);

  /// Calls a tool by the server's own name. `arguments` is a JSON object.
  Result<ToolOutcome> call(const std::string& tool, const std::string& arguments, const Deadline& deadline);

 private:
  McpClient(McpServer server, Open open) : server_(std::move(server)), open_(std::move(open)) {}
  Status begin(const Deadline& deadline);
  Status shake_hands(const Deadline& deadline);
  Result<std::string> ask(std::string_view method, std::string_view name, const std::string& parameters,
                          const Deadline& deadline);
  Result<std::string> ask_once(std::string_view method, std::string_view name, const std::string& parameters,
                               const Deadline& deadline);
  McpMessage message(std::int64_t id, std::string_view method, std::string_view name, const std::string& parameters);

  McpServer server_;
  Open open_;
  std::atomic<std::int64_t> next_id_{1};
  std::mutex begin_mutex_;
  mutable std::mutex mutex_;  ///< of what follows
  std::shared_ptr<McpTransport> transport_;  ///< null until the server has been begun with
  McpForm form_ = McpForm::kHandshake;
  std::string version_;
};

}  // namespace weft
