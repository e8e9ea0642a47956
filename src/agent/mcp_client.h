#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/mcp_wire.h"
#include "agent/tool.h"
#include "ports/mcp/mcp_transport.h"

namespace weft {

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
