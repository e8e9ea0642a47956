#include "surface/cli/mcp_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "engine/engine_impl.h"
#include "surface/cli/beside/serve_commands.h"
#include "surface/cli/command_line.h"
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

}  // namespace weft::cli
