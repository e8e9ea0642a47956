#include "surface/cli/beside/serve_commands.h"

#include <exception>

#include "base/log.h"
#include "engine/engine_impl.h"
#include "surface/cli/cli.h"
#include "surface/cli/globals.h"

namespace weft::cli {
namespace {

// No command may end the server, whatever it runs into.
int run_safely(EngineImpl& engine, const RunRequest& run, Console& console) {
  try {
    return run_for(engine, run, console);
  } catch (const std::exception& error) {
    log_error("command", error.what());
    console.complain("weft: a defect in the server: %s\n", error.what());
    return kFailed;
  }
}

}  // namespace

std::unique_ptr<CommandServer> serve_commands(EngineImpl& engine) {
  auto commands = CommandServer::open(engine.config().workspace, [&engine](const RunRequest& run, Console& console) {
    return run_safely(engine, run, console);
  });
  if (commands.ok()) return std::move(commands).value();
  log_warning("command", commands.error().message + ": commands cannot be run while this server holds the workspace");
  return nullptr;
}

}  // namespace weft::cli
