#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weft/engine.h"

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
};

/// defaults → preset → weft.toml → environment → --preset and --set.
Result<Config> load(const Globals& globals);

/// The engine on the configured workspace.
Result<std::unique_ptr<Engine>> open_engine(const Globals& globals);

Result<RequestContext> request_of(const Globals& globals);

/// Prints an error as people or, with `json`, as programs read it, and gives the exit code.
int report(const Error& error, bool json);

/// Prints one line of JSON.
void print_line(const std::string& json);

/// Waits for the models to load, since a command has no later turn in which they would serve.
void wait_for_models(Engine& engine);

/// Runs `body` with an engine and a request, reporting what fails.
template <class Body>
int with_engine(const Globals& globals, Body body) {
  auto engine = open_engine(globals);
  if (!engine.ok()) return report(engine.error(), globals.json);
  auto request = request_of(globals);
  if (!request.ok()) return report(request.error(), globals.json);
  const Status done = body(**engine, *request);
  return done.ok() ? kDone : report(done.error(), globals.json);
}

}  // namespace weft::cli
