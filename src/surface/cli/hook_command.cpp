// `weft hook`: what the hooks of Claude Code run.
#include <CLI/CLI.hpp>

#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/file_change.h"
#include "surface/hook/hook.h"

namespace weft::cli {
namespace {

// Claude Code goes on where a hook fails with 1, and stops where it fails with 2: memory is never a reason to stop.
int never_blocking(int code) { return code == kDone ? kDone : kFailed; }

int hook(const Globals& globals, const HookLimits& limits) {
  constexpr std::size_t kLeast = 200, kMost = 100'000;
  if (limits.known_bytes < kLeast || limits.known_bytes > kMost)
    return never_blocking(report(globals, invalid_argument("--known-bytes is " + std::to_string(limits.known_bytes) +
                                                               "; it goes from 200 to 100000",
                                                           "mend the command of the hook in Claude Code's settings")));
  return never_blocking(with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const std::string given, globals.console->read_all());
    WEFT_TRY(const HookCall call, read_hook_call(given));
    WEFT_TRY(const std::string answer, answer_hook(engine, request, call, limits));
    if (!answer.empty()) globals.console->line(answer);
    return {};
  }));
}

struct HookInstall {
  bool project = false;  ///< the settings of the project in this folder instead of the person's own
  bool undo = false;     ///< take Weft's hooks out again
  bool write = false;    ///< false: only shows what would change
};

Result<std::string> hook_line(const Globals& globals) {
  WEFT_TRY(const std::string program, own_program());
  WEFT_TRY(const auto options, own_options(globals));
  std::string line = shell_word(program) + " hook";
  for (const std::string& option : options) line += " " + shell_word(option);
  return line;
}

Status install(const Globals& globals, const HookInstall& options) {
  std::filesystem::path folder = globals.console->path(".");
  if (!options.project) {
    WEFT_TRY(folder, home_folder("use --project"));
  }
  WEFT_TRY(const std::string line, hook_line(globals));
  const auto file = (folder / ".claude" / "settings.json").lexically_normal();
  return change_file(globals, file, options.write, [&](const std::string& before) {
    return options.undo ? without_weft_hooks(before) : with_weft_hooks(before, line);
  });
}

}  // namespace

void add_hooks(CommandLine& line) {
  auto* command = line.app().add_subcommand(
      "hook", "for the hooks of Claude Code: takes what a hook is given on stdin, gives memories, keeps what is said");
  command->require_subcommand(0, 1);
  auto limits = std::make_shared<HookLimits>();
  command->add_option("--known-bytes", limits->known_bytes,
                      "as a session begins: bytes of profile, MEMORY.md and last day, each at most; 6000 if left out");
  line.on(command, Place::kWorkspace, [limits](const Globals& globals) { return hook(globals, *limits); });
  auto install_options = std::make_shared<HookInstall>();
  auto* installing = command->add_subcommand("install", "write it into Claude Code's settings.json");
  installing->add_flag("--project", install_options->project,
                       "the settings of the project in this folder instead of your own");
  installing->add_flag("--undo", install_options->undo, "take Weft's hooks out again; those of others stay");
  installing->add_flag("--write", install_options->write, "write it; without this only shows what would change");
  line.on(installing, Place::kAnywhere, [install_options](const Globals& globals) {
    const Status done = install(globals, *install_options);
    return done.ok() ? kDone : report(globals, done.error());
  });
}

}  // namespace weft::cli
