#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "surface/cli/globals.h"

namespace CLI {
class App;
}

namespace weft::cli {

/// Where a command can run.
enum class Place {
  kAnywhere,   ///< it touches no workspace
  kWorkspace,  ///< it uses the workspace: by itself, or through the server that holds it
  kStays,      ///< likewise, and it goes on with whoever holds the workspace next when that server ends
  kAlone,      ///< it needs the workspace for itself
  kFollows,    ///< it works for long and needs the workspace now and then; a server does single rounds of it
};

/// One command line: what `weft` understands, and what of it was asked for. Used once.
class CommandLine {
 public:
  using Run = std::function<int(const Globals& globals)>;

  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Reads the arguments, without the program's name. Gives the exit code where nothing is left to run: help was asked
  /// for, or the words make no sense, which is told on the console with the nearest that would.
  std::optional<int> read(std::vector<std::string> arguments, Console& console);

  /// Of what was read: where it runs, and the command itself.
  Place place() const { return place_; }
  const std::string& name() const { return name_; }
  int run() const { return run_(globals_); }
  Globals& globals() { return globals_; }
  const Globals& globals() const { return globals_; }
  /// What an argument ("id") or an option ("--model") of the command was given; empty: nothing, or it has none.
  std::vector<std::string> given(const std::string& argument) const;
  /// The long names of the command's own options that were given.
  std::vector<std::string> given_options() const;

  /// For the tables of commands: `command` runs this, there.
  void on(CLI::App* command, Place place, Run run);
  CLI::App& app() { return *app_; }

 private:
  void add_globals();
  void add_help();

  Globals globals_;
  std::unique_ptr<CLI::App> app_;
  Place place_ = Place::kAnywhere;
  std::string name_;
  Run run_;
};

/// The tables of commands: each adds what it has.
void add_memory(CommandLine& line);
void add_task(CommandLine& line);
void add_story(CommandLine& line);
void add_cognitive(CommandLine& line);
void add_queue(CommandLine& line);
void add_care(CommandLine& line);
void add_surfaces(CommandLine& line);
void add_mcp(CommandLine& line);
void add_evaluation(CommandLine& line);
void add_knowledge(CommandLine& line);
void add_growth(CommandLine& line);
void add_agents(CommandLine& line);
void add_reflection(CommandLine& line);
void add_skills(CommandLine& line);
void add_adaptation(CommandLine& line);
void add_keys(CommandLine& line);
void add_hooks(CommandLine& line);
void add_imports(CommandLine& line);
void add_watch(CommandLine& line);
void add_agent_files(CommandLine& line);

}  // namespace weft::cli
