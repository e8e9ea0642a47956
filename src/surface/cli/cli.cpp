#include "surface/cli/cli.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/clock.h"
#include "surface/access/audit_log.h"
#include "surface/cli/audited_commands.h"
#include "surface/cli/beside/client.h"
#include "surface/cli/beside/socket.h"
#include "surface/cli/command_line.h"
#include "surface/cli/own_console.h"

namespace weft::cli {
namespace {

// Gives the command to the server that holds the workspace; nothing where there is none.
std::optional<int> hand_over(const Globals& globals, Place place, const std::vector<std::string>& arguments) {
  Console& console = *globals.console;
  for (;;) {
    auto server = connect_in(globals.workspace);
    if (!server.ok() && server.error().code == ErrorCode::kNotFound) return std::nullopt;
    if (!server.ok()) return report(globals, server.error());
    std::error_code ignored;
    const RunRequest request{WEFT_VERSION,          globals.workspace, std::filesystem::current_path(ignored).string(),
                             console.interactive(), console.colours(), arguments};
    const auto code = run_in_server(std::move(*server), request, console);
    const bool left = code.ok() ? *code == kGoOnElsewhere : code.error().code == ErrorCode::kUnavailable;
    if (place == Place::kStays && left) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until its socket is gone, or another one is there
      continue;
    }
    return code.ok() ? *code : report(globals, code.error());
  }
}

int run_audited(const CommandLine& line, const Globals& globals) {
  const int code = line.run();
  if (!is_audited(line.name())) return code;
  AuditEntry entry{SystemClock().now(), "command", {}, line.name(), {}, code == kDone ? "done" : "failed",
                   acted_on(line)};
  if (const auto request = request_of(globals); request.ok()) entry.whose = request->scope.key().str();
  AuditLog(AuditLog::file_of(globals.console->path(globals.workspace))).note(entry);
  return code;
}

}  // namespace

int run(int argc, const char* const* argv) {
  OwnConsole console;
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  CommandLine line;
  if (const auto ended = line.read(arguments, console)) return *ended;
  Globals& globals = line.globals();
  if (line.place() == Place::kWorkspace || line.place() == Place::kStays) {
    globals.hand_over = [&] { return hand_over(globals, line.place(), arguments); };
    if (const auto done = globals.hand_over()) return *done;
  }
  if (line.place() == Place::kFollows) {
    std::vector<std::string> round = arguments;
    round.emplace_back("--once");
    globals.hand_over = [&globals, &line, round] { return hand_over(globals, line.place(), round); };
  }
  return run_audited(line, globals);
}

int run_for(EngineImpl& engine, const RunRequest& request, Console& console) {
  CommandLine line;
  if (const auto ended = line.read(request.arguments, console)) return *ended;
  Globals& globals = line.globals();
  if (request.version != WEFT_VERSION)
    return report(
        globals,
        conflict("the server that holds the workspace is weft " WEFT_VERSION ", the command is weft " + request.version,
                 "start the server again, with the program that the command is"));
  if (line.place() != Place::kWorkspace && line.place() != Place::kStays && line.place() != Place::kFollows)
    return report(globals, invalid_argument(line.name() + " is nothing that a server does for a command"));
  globals.workspace = request.workspace;
  globals.serving = &engine;
  return run_audited(line, globals);
}

}  // namespace weft::cli
