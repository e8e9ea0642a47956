#include "engine/mcp_servers.h"

#include "base/log.h"
#include "engine/engine_core.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kToList{20};

}  // namespace

Result<std::vector<std::shared_ptr<McpClient>>> McpServers::clients() {
  const std::filesystem::path path = std::filesystem::path(core_.config.workspace) / "mcp.json";
  const auto text = read_file(path);
  const std::lock_guard lock(mutex_);
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) return text.error();
  if (text.value_or({}) == text_) return clients_;
  std::vector<McpServer> servers;
  if (text.ok()) {
    WEFT_TRY(servers, parse_mcp_servers(*text, "mcp.json"));
  }
  std::vector<std::shared_ptr<McpClient>> made;
  for (McpServer& server : servers)
    made.push_back(McpClient::make(
        std::move(server),
        [this](const McpServer& one, McpTransport::OnMessage on_message) -> Result<std::unique_ptr<McpTransport>> {
          if (!one.command.empty()) return open_stdio_transport(one.command, one.environment, std::move(on_message));
          return open_http_transport(core_.models->http(), one.url, one.headers, std::move(on_message));
        }));
  text_ = text.value_or({});
  clients_ = std::move(made);
  return clients_;
}

Status McpServers::add_tools(ToolRegistry& into) {
  WEFT_TRY(const auto servers, clients());
  std::set<std::string> taken;
  for (const ToolInfo& one : into.infos()) taken.insert(one.name);
  for (const auto& client : servers) {
    const auto tools = client->tools(Deadline::after(kToList), taken);
    if (!tools.ok()) {
      log_warning("mcp.tools", tools.error().message);
      continue;
    }
    for (const auto& tool : *tools)
      if (const Status added = into.add(tool); !added.ok()) log_warning("mcp.tools", added.error().message);
  }
  return {};
}

}  // namespace weft
