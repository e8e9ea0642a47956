#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "surface/cli/console.h"
#include "weft/engine.h"

namespace weft {
class EngineImpl;
}

namespace weft::cli {

inline constexpr int kDone = 0, kFailed = 1, kWrongUse = 2;

/// What every command takes.
struct Globals {
  std::string workspace = ".weft";
  std::string preset;
  std::vector<std::string> settings;  ///< KEY=VALUE
  std::string user = "default", group, session = "default";
  std::string log_level;
  bool json = false;
  bool owner_named = false;       ///< --user or --group was given
  Console* console = nullptr;     ///< never null when a command runs; the caller's
  /// Ids that came of the command, for the audit log: "key k3x9abcd", "receipt 7f01…". Shared by copies.
  std::shared_ptr<std::vector<std::string>> made = std::make_shared<std::vector<std::string>>();
  EngineImpl* serving = nullptr;  ///< the engine of the server that does this command's work; null: opened for it
  /// Gives the whole command to the server that holds the workspace, and its exit code; nothing where there is none.
  std::function<std::optional<int>()> hand_over = {};
};

/// defaults → preset → weft.toml → environment → --preset and --set.
Result<Config> load(const Globals& globals);

Result<RequestContext> request_of(const Globals& globals);

/// Prints an error as people or, with --json, as programs read it, and gives the exit code.
int report(const Globals& globals, const Error& error);

/// Waits until the models serve or have failed.
Status models_ready(const Globals& globals, Engine& engine);
/// The same where what is there without them will do: a command has no later turn in which they would serve.
void wait_for_models(const Globals& globals, Engine& engine);

/// Waits until the background has worked off what the command gave it. A server goes on with that by itself, so there
/// more time needed is no error.
Status drain(const Globals& globals, Engine& engine, std::chrono::milliseconds limit);
/// The same, for some seconds, after what a command took in: the threads in the background end with it, and without a
/// pause the next command would search by words alone. What is not done in time is a warning: later commands go on.
void finish(const Globals& globals, Engine& engine);

/// Opens the engine; where somebody else holds the workspace it tries again for a while, until `give_up` says so.
Result<std::unique_ptr<EngineImpl>> open_when_free(const Config& config, const std::function<bool()>& give_up = {});

/// Runs `body` with an engine and a request, reporting what fails: with the server's engine, or with one of its own.
/// Where a server turns out to hold the workspace it does the whole command, and `body` is not run.
int with_engine(const Globals& globals, const std::function<Status(Engine&, const RequestContext&)>& body);
/// The same for a command that needs more of the engine than its public functions.
int with_whole_engine(const Globals& globals, const std::function<Status(EngineImpl&, const RequestContext&)>& body);

}  // namespace weft::cli
