#include "surface/cli/cli.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "surface/access/audit_log.h"
#include "surface/cli/beside/client.h"
#include "surface/cli/beside/socket.h"
#include "surface/cli/command_line.h"
#include "surface/cli/console.h"
#include "surface/cli/input.h"
#include "text/utf8.h"

namespace weft::cli {
namespace {

constexpr std::size_t kMostCharacters = 128;  // of an id in the log

/// Commands that begin with these words, but those that only look.
struct Audited {
  std::string_view begin;
  std::string_view noun = {}, argument = {};  ///< what the argument names; empty: nothing
  std::vector<std::string_view> look = {};
};

const std::vector<Audited>& all_audited() {
  static const std::vector<Audited> all{
      {"weft key", "key", "name", {"list"}},
      {"weft erase", "checked receipt", "--verify"},
      {"weft backup", "folder", "folder"},
      {"weft restore", "from", "folder"},
      {"weft export", "file", "--archive"},
      {"weft import", "import", "id", {"list", "show"}},
      {"weft migrate", "file", "file"},
      {"weft reembed", "model", "--model"},
      {"weft repair"},
      {"weft queue", "job", "job", {"status", "list", "show"}},
      {"weft profile", "profile", "which", {"list", "show", "history", "diff"}},
      {"weft rule", "rule", "id", {"list", "show", "diff"}},
      {"weft mutation propose", "skill", "id"},
      {"weft mutation", "mutation", "id", {"list", "show"}},
      {"weft skill", "skill", "id", {"list", "show", "match", "diff", "export"}},
      {"weft reflect plan"},
      {"weft memory confirm"},
      {"weft agent answer", "run", "run"},
  };
  return all;
}

// The words of the command behind those that it begins with.
const Audited* find_audited(std::string_view command) {
  for (const Audited& one : all_audited()) {
    if (!command.starts_with(one.begin)) continue;
    std::string_view verb = command.substr(one.begin.size());
    if (!verb.empty() && verb.front() != ' ') continue;
    verb.remove_prefix(verb.empty() ? 0 : 1);
    return std::find(one.look.begin(), one.look.end(), verb) == one.look.end() ? &one : nullptr;
  }
  return nullptr;
}

/// Whether somebody who looks after a workspace wants to find a command again: it changed who may ask, what is kept as
/// a whole, what was learnt, or approved of something.
bool is_audited(const std::string& command) { return find_audited(command) != nullptr; }

/// What a command acted on, by ids: what its arguments name, and what came of it (`Globals::made`). Of settings only
/// which were given. Never a text, nor a secret.
std::vector<std::string> acted_on(const CommandLine& line) {
  std::vector<std::string> what;
  const Audited* found = find_audited(line.name());
  if (found == nullptr) return what;
  if (!found->argument.empty())
    for (const std::string& id : line.given(std::string(found->argument)))
      what.push_back(std::string(found->noun) + " " + preview(id, kMostCharacters));
  for (const std::string& version : line.given("--version"))
    what.push_back("version " + preview(version, kMostCharacters));
  if (line.name() == "weft erase" && line.globals().session != Globals().session)
    what.push_back("session " + preview(line.globals().session, kMostCharacters));
  if (line.name() == "weft reflect plan")
    for (const std::string& option : line.given_options()) what.push_back("setting " + option);
  const auto& made = *line.globals().made;
  for (const std::string& id : made)
    if (std::find(what.begin(), what.end(), id) == what.end()) what.push_back(id);
  return what;
}

/// The streams of this process.
class OwnConsole final : public Console {
 public:
  void write(std::string_view text) override;
  void write_error(std::string_view text) override;
  void flush() override;
  bool interactive() const override;
  bool colours() const override;
  std::filesystem::path path(const std::string& given) const override;
  Status edit(const std::string& file) override { return edit_file(file); }

 protected:
  Result<std::string> more(const std::string& prompt) override { return input_.more(prompt); }

 private:
  Input input_;
};

void OwnConsole::write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void OwnConsole::write_error(std::string_view text) {
  // What was said before stands before it where both go to one place.
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void OwnConsole::flush() { std::fflush(stdout); }

bool OwnConsole::interactive() const { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0; }

bool OwnConsole::colours() const { return ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

std::filesystem::path OwnConsole::path(const std::string& given) const {
  std::error_code unknown;
  return std::filesystem::current_path(unknown) / given;
}

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
