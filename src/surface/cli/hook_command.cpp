// `weft hook`: what the hooks of Claude Code run.
#include <CLI/CLI.hpp>

#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/hook/hook.h"

namespace weft::cli {
namespace {

// Claude Code goes on where a hook fails with 1, and stops where it fails with 2: memory is never a reason to stop.
int never_blocking(int code) { return code == kDone ? kDone : kFailed; }

int hook(const Globals& globals) {
  return never_blocking(with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const std::string given, globals.console->read_all());
    WEFT_TRY(const HookCall call, read_hook_call(given));
    WEFT_TRY(const std::string answer, answer_hook(engine, request, call));
    if (!answer.empty()) globals.console->line(answer);
    return {};
  }));
}

}  // namespace

void add_hooks(CommandLine& line) {
  auto* command = line.app().add_subcommand(
      "hook", "for the hooks of Claude Code: takes what a hook is given on stdin, gives memories, keeps what is said");
  line.on(command, Place::kWorkspace, hook);
}

}  // namespace weft::cli
