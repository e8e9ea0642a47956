#include <filesystem>

#include "surface/cli/file_change.h"
#include "surface/cli/mcp_command.h"
#include "surface/mcp/config_text.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "weft";

/// Where a client keeps what it connects to.
struct ClientFile {
  fs::path file;
  std::vector<std::string> path;  ///< of the entry
  bool toml = false;
  bool says_type = false;  ///< an entry names its kind of connection
};

Result<ClientFile> file_of(const Globals& globals, const McpInstall& options) {
  fs::path home;
  if (!options.project) {
    WEFT_TRY(home, home_folder("use --project"));
  }
  const auto in = [&](const char* own, const char* project) {
    return options.project ? globals.console->path(project) : home / own;
  };
  if (options.client == "claude")
    return ClientFile{in(".claude.json", ".mcp.json"), {"mcpServers", kName}, false, true};
  if (options.client == "cursor") return ClientFile{in(".cursor/mcp.json", ".cursor/mcp.json"), {"mcpServers", kName}};
  if (options.client == "vscode")
    return ClientFile{in(".config/Code/User/mcp.json", ".vscode/mcp.json"), {"servers", kName}, false, true};
  return ClientFile{in(".codex/config.toml", ".codex/config.toml"), {"mcp_servers", kName}, true};
}

Result<std::vector<mcp::Setting>> settings_of(const Globals& globals, const McpInstall& options, bool says_type) {
  WEFT_TRY(const std::string program, own_program());
  WEFT_TRY(const auto own, own_options(globals));
  ValueList arguments{"mcp"};
  for (const std::string& option : own) arguments.emplace_back(option);
  if (options.tools != "few") {
    arguments.emplace_back("--tools");
    arguments.emplace_back(options.tools);
  }
  std::vector<mcp::Setting> settings{{"command", program}, {"args", std::move(arguments)}};
  if (says_type) settings.insert(settings.begin(), {"type", "stdio"});
  return settings;
}

Status install(const Globals& globals, const McpInstall& options) {
  WEFT_TRY(const ClientFile client, file_of(globals, options));
  WEFT_TRY(const auto settings, settings_of(globals, options, client.says_type));
  return change_file(globals, client.file, options.write, [&](const std::string& before) {
    return client.toml ? mcp::set_in_toml(before, client.path, settings)
                       : mcp::set_in_json(before, client.path, settings);
  });
}

}  // namespace

int mcp_install(const Globals& globals, const McpInstall& options) {
  const Status done = install(globals, options);
  return done.ok() ? kDone : report(globals, done.error());
}

}  // namespace weft::cli
