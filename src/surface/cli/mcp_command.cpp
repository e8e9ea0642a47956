#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "engine/engine_impl.h"
#include "surface/cli/beside/command_server.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/file_change.h"
#include "surface/mcp/config_text.h"
#include "surface/mcp/stdio_server.h"
#include "surface/mcp/tool.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kGrace{2};  // for commands of others when this one ends

constexpr const char* kToolsHelp = "tools that are offered: few, all, or names with commas between";

mcp::StdioOptions options_of(const Globals& globals, const RequestContext& request, const std::string& tools,
                             const Config& config, const AuditLog& audit) {
  return {request,
          SessionId(globals.session == "default" ? "mcp" : globals.session),
          tools,
          {static_cast<std::size_t>(config.server.max_body_bytes), static_cast<std::size_t>(config.limits.max_depth)},
          {Access{"mcp"}, {}, &audit}};
}

// Reads until the input ends. Gives whether the server that does this command's work ends instead.
Result<bool> serve_input(Console& console, mcp::StdioServer& server) {
  for (;;) {
    const auto line = console.read_line();
    if (!line.ok() && line.error().code == ErrorCode::kUnavailable) return true;
    if (!line.ok() && line.error().code == ErrorCode::kCancelled) return false;
    if (!line.ok()) return line.error();
    if (!*line) return false;
    server.take(**line);
  }
}

}  // namespace

int mcp(const Globals& globals, const std::string& tools) {
  bool goes_on = false;
  const int code = with_whole_engine(globals, [&](EngineImpl& engine, const RequestContext& request) -> Status {
    if (const auto chosen = weft::mcp::chosen_tools(tools); !chosen.ok()) return chosen.error();
    // Whoever else wants the workspace meanwhile is served from here.
    const auto commands = globals.serving == nullptr ? serve_commands(engine) : nullptr;
    weft::mcp::Protocol protocol(engine);
    Console& console = *globals.console;
    const AuditLog audit(AuditLog::file_of(engine.config().workspace));
    weft::mcp::StdioServer server(protocol, options_of(globals, request, tools, engine.config(), audit),
                                  [&console](const std::string& message) { console.line(message); });
    const auto served = serve_input(console, server);
    server.end();
    if (commands) commands->stop(kGrace);
    if (!served.ok()) return served.error();
    goes_on = *served && globals.serving != nullptr;
    return {};
  });
  return goes_on ? kGoOnElsewhere : code;
}

void add_mcp(CommandLine& line) {
  auto tools = std::make_shared<std::string>("few");
  auto* serving =
      line.app().add_subcommand("mcp", "memory for clients of the Model Context Protocol, on stdin and stdout");
  serving->add_option("--tools", *tools, kToolsHelp)->envname("WEFT_MCP_TOOLS");
  serving->require_subcommand(0, 1);
  line.on(serving, Place::kStays, [tools](const Globals& globals) { return mcp(globals, *tools); });
  auto install = std::make_shared<McpInstall>();
  auto* installing = serving->add_subcommand("install", "write it into a client's configuration");
  installing->add_option("client", install->client, "claude, codex, cursor or vscode")
      ->required()
      ->check(CLI::IsMember({"claude", "codex", "cursor", "vscode"}));
  installing->add_option("--tools", install->tools, kToolsHelp);
  installing->add_flag("--project", install->project, "the file of the project in this folder instead of your own");
  installing->add_flag("--write", install->write, "write it; without this only shows what would change");
  line.on(installing, Place::kAnywhere, [install](const Globals& globals) { return mcp_install(globals, *install); });
}

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
