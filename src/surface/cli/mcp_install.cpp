#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "ports/files/file.h"
#include "surface/cli/mcp_command.h"
#include "surface/mcp/config_text.h"
#include "text/line_diff.h"

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
  const char* home = std::getenv("HOME");
  if (!options.project && (home == nullptr || *home == '\0'))
    return invalid_argument("HOME is not set, so your configuration cannot be found", "use --project");
  const auto in = [&](const char* own, const char* project) {
    return options.project ? globals.console->path(project) : fs::path(home) / own;
  };
  if (options.client == "claude")
    return ClientFile{in(".claude.json", ".mcp.json"), {"mcpServers", kName}, false, true};
  if (options.client == "cursor") return ClientFile{in(".cursor/mcp.json", ".cursor/mcp.json"), {"mcpServers", kName}};
  if (options.client == "vscode")
    return ClientFile{in(".config/Code/User/mcp.json", ".vscode/mcp.json"), {"servers", kName}, false, true};
  return ClientFile{in(".codex/config.toml", ".codex/config.toml"), {"mcp_servers", kName}, true};
}

Result<std::vector<mcp::Setting>> settings_of(const Globals& globals, const McpInstall& options, bool says_type) {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return unavailable("the path of this program cannot be found: " + failed.message());
  const fs::path workspace = fs::weakly_canonical(globals.console->path(globals.workspace), failed);
  if (failed) return unavailable("the path of the workspace cannot be found: " + failed.message());
  ValueList arguments{"mcp", "--workspace", workspace.string()};
  const auto add = [&arguments](const char* option, const std::string& value) {
    arguments.emplace_back(option);
    arguments.emplace_back(value);
  };
  if (globals.owner_named && globals.user != "default") add("--user", globals.user);
  if (!globals.group.empty()) add("--group", globals.group);
  if (globals.session != "default") add("--session", globals.session);
  if (options.tools != "few") add("--tools", options.tools);
  std::vector<mcp::Setting> settings{{"command", program.string()}, {"args", std::move(arguments)}};
  if (says_type) settings.insert(settings.begin(), {"type", "stdio"});
  return settings;
}

Status install(const Globals& globals, const McpInstall& options) {
  WEFT_TRY(const ClientFile client, file_of(globals, options));
  WEFT_TRY(const auto settings, settings_of(globals, options, client.says_type));
  std::string before;
  if (auto text = read_file(client.file); text.ok())
    before = std::move(text).value();
  else if (text.error().code != ErrorCode::kNotFound)
    return text.error();
  auto changed =
      client.toml ? mcp::set_in_toml(before, client.path, settings) : mcp::set_in_json(before, client.path, settings);
  if (!changed.ok()) {
    Error error = changed.error();
    error.message = client.file.string() + ": " + error.message;
    return error;
  }
  const std::string diff = show_diff(line_diff(before, *changed));
  if (options.write && before != *changed) {
    WEFT_CHECK(make_folder(client.file.parent_path()));
    WEFT_CHECK(write_file(client.file, *changed, true));
  }
  Console& console = *globals.console;
  if (globals.json) {
    console.line(nlohmann::ordered_json{
        {"file", client.file.string()},
        {"changed", before != *changed},
        {"written", options.write && before != *changed},
        {"diff",
         diff}}.dump());
    return {};
  }
  console.print("%s\n%s", client.file.c_str(), before == *changed ? "is as it should be\n" : diff.c_str());
  if (before != *changed) console.line(options.write ? "written" : "nothing was written yet: add --write");
  return {};
}

}  // namespace

int mcp_install(const Globals& globals, const McpInstall& options) {
  const Status done = install(globals, options);
  return done.ok() ? kDone : report(globals, done.error());
}

}  // namespace weft::cli
