#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "agent/mcp_client.h"
#include "agent/tool.h"

namespace weft {

struct EngineCore;

/// The servers of the Model Context Protocol that mcp.json in the workspace names, and their tools. The file is read
/// anew when a run begins; who is named there unchanged stays connected. Safe from any thread.
class McpServers {
 public:
  explicit McpServers(EngineCore& core) : core_(core) {}

  /// Adds the tools of all servers. A server that does not answer is told in the log and left out: the others serve.
  /// An error says what is wrong in the file.
  Status add_tools(ToolRegistry& into);

 private:
  Result<std::vector<std::shared_ptr<McpClient>>> clients();

  EngineCore& core_;
  std::mutex mutex_;
  std::string text_;  ///< of the file that `clients_` were made from
  std::vector<std::shared_ptr<McpClient>> clients_;
};

}  // namespace weft
