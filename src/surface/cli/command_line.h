#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "surface/cli/console.h"
#include "text/record.h"
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

namespace CLI {
class App;
}  // namespace CLI

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
void add_research(CommandLine& line);
void add_usage(CommandLine& line);

// Options of commands that are fields of described structs: their names, help and checks come from the description.

/// Words as the JSON that a field of that kind is read from.
std::string json_of_words(FieldKind kind, const std::vector<std::string>& words);

/// "--not-session" for "not_session", where the field has no option of its own.
std::string option_of(std::string_view name, const FieldRule& rule);

/// What was given on the command line of a struct, whose type `Words` knows.
class GivenWords {
 public:
  /// Adds an option for each of the fields to a command. What cannot be read is refused with the command's usage.
  void offer(CLI::App& command, std::initializer_list<std::string_view> fields);
  /// Adds an option for every field that a command line can say, but for those.
  void offer_all_but(CLI::App& command, std::initializer_list<std::string_view> left_out);

 protected:
  /// Whether a field of a new struct can be read from this.
  using Probe = Status (*)(const RecordField& field, std::string_view json, const std::string& place);

  /// `record` must outlive it.
  GivenWords(const RecordFields& record, Probe probe) : record_(record), probe_(probe) {}
  Status put_into(void* of) const;

 private:
  void offer_field(CLI::App& command, const RecordField& field);
  void take(const RecordField& field, const std::vector<std::string>& words);

  const RecordFields& record_;
  const Probe probe_;
  std::vector<std::pair<const RecordField*, std::string>> given_;
};

/// What was given of a struct on the command line.
template <class T>
class Words : public GivenWords {
 public:
  Words()
      : GivenWords(record<T>(), [](const RecordField& field, std::string_view json, const std::string& place) {
          T probe{};
          return record<T>().read_field(field, json, place, probe);
        }) {}

  /// Puts what was given into a struct, over what stands there.
  Status apply(T& into) const { return put_into(&into); }

  /// A struct with what was given, and the defaults.
  Result<T> made() const {
    T value{};
    WEFT_CHECK(apply(value));
    return value;
  }
};

}  // namespace weft::cli
