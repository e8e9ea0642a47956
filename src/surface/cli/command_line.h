#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "surface/cli/globals.h"
#include "text/record.h"

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
