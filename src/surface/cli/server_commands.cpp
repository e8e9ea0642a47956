#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/threads.h"
#include "engine/engine_impl.h"
#include "growth/transcript_follower.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"
#include "ports/files/folder_watch.h"
#include "surface/access/key_ring.h"
#include "surface/cli/beside/command_server.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/output.h"
#include "surface/hook/hook.h"
#include "surface/http/serve.h"
#include "surface/mcp/config_text.h"
#include "surface/mcp/stdio_server.h"
#include "surface/mcp/tool.h"
#include "text/line_diff.h"

namespace weft::cli {
namespace {

// Changing a file of another program: shown first, written only where that was asked for.

namespace fs = std::filesystem;

// Reads the file (empty where there is none), has it changed, shows what is different, and writes it with `write`.
Status change_file(const Globals& globals, const fs::path& file, bool write,
                   const std::function<Result<std::string>(const std::string& before)>& change) {
  std::string before;
  if (auto text = read_file(file); text.ok())
    before = std::move(text).value();
  else if (text.error().code != ErrorCode::kNotFound)
    return text.error();
  const auto after = change(before);
  if (!after.ok()) {
    Error error = after.error();
    error.message = file.string() + ": " + error.message;
    return error;
  }
  const bool changed = before != *after;
  const std::string diff = show_diff(line_diff(before, *after));
  if (write && changed) {
    WEFT_CHECK(make_folder(file.parent_path()));
    WEFT_CHECK(write_file(file, *after, true));
  }
  Console& console = *globals.console;
  if (globals.json) {
    const nlohmann::ordered_json told = {
        {"file", file.string()}, {"changed", changed}, {"written", write && changed}, {"diff", diff}};
    console.line(told.dump());
    return {};
  }
  console.print("%s\n%s", file.c_str(), changed ? diff.c_str() : "is as it should be\n");
  if (changed) console.line(write ? "written" : "nothing was written yet: add --write");
  return {};
}

// The options of this command line that say whose memory is meant and where it lies, to be given to another command
// of Weft: the workspace as a whole path.
Result<std::vector<std::string>> own_options(const Globals& globals) {
  std::error_code failed;
  const fs::path workspace = fs::weakly_canonical(globals.console->path(globals.workspace), failed);
  if (failed) return unavailable("the path of the workspace cannot be found: " + failed.message());
  std::vector<std::string> options{"--workspace", workspace.string()};
  const auto add = [&options](const char* option, const std::string& value) {
    options.emplace_back(option);
    options.push_back(value);
  };
  if (globals.owner_named && globals.user != "default") add("--user", globals.user);
  if (!globals.group.empty()) add("--group", globals.group);
  if (globals.session != "default") add("--session", globals.session);
  return options;
}

// The path of this program.
Result<std::string> own_program() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return unavailable("the path of this program cannot be found: " + failed.message());
  return program.string();
}

// The folder of the person's own files; `otherwise` is what to do where it is not known.
Result<fs::path> home_folder(const std::string& otherwise) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home);
  return invalid_argument("HOME is not set, so your configuration cannot be found", otherwise);
}

constexpr std::chrono::seconds kGrace{10};  // for commands at work when the server ends

/// Turns SIGINT and SIGTERM into a stop. The signals must be blocked in every thread before any is started.
class StopOnSignal {
 public:
  StopOnSignal() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    begun_ = start_thread(waiter_, "weft serve", [this] {
      int signal = 0;
      sigwait(&signals_, &signal);
      stop_.request_stop();
    });
  }
  ~StopOnSignal() {
    if (!waiter_.joinable()) return;
    // Wakes the waiter where no signal came.
    pthread_kill(waiter_.native_handle(), SIGTERM);
    waiter_.join();
  }
  /// Without the thread a server could not be stopped.
  const Status& begun() const { return begun_; }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  std::stop_token token() const { return stop_.get_token(); }

 private:
  sigset_t signals_{};
  std::stop_source stop_;
  Status begun_;
  std::thread waiter_;
};

// A local model answers by itself; one behind an endpoint is called by the proxy as it is.
ChatModel* local_model(EngineImpl& engine) {
  const auto role = engine.config().roles.find("main");
  if (role == engine.config().roles.end()) return nullptr;
  return engine.config().models.at(role->second).provider == ModelProvider::kLocal ? engine.models().chat("main")
                                                                                   : nullptr;
}

/// What a person at a terminal wants to know as a server starts.
void greet(Console& console, const Config& config, const std::string& url) {
  const Style style = style_of(console);
  const auto row = [&](const char* name, const std::string& text) {
    console.print("  %-13s %s\n", name, text.c_str());
  };
  const std::string& upstream = config.proxy.upstream;
  console.print("%sWeft is running.%s\n\n", style.bold, style.plain);
  row("Page", url + "/ui");
  row("Chat clients", url + "/v1");
  row("Model", upstream.empty() ? "none; --upstream URL connects one, so that chat clients can be answered" : upstream);
  row("Memory", "of the user \"" + config.server.default_user + "\", unless a call names another one");
  row("Workspace", config.workspace);
  // A shell keeps Ctrl+C from what runs in its background.
  const bool in_front = ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  console.print("\nStop it with %s\n", in_front ? "Ctrl+C." : fmt::format("kill {}", ::getpid()).c_str());
  console.flush();
}

}  // namespace

int serve(const Globals& globals, const ServeOptions& options) {
  const StopOnSignal signals;
  const auto refuse = [&](const Error& error) {
    (void)report(globals, error);
    return kWrongUse;
  };
  if (!signals.begun().ok()) return report(globals, signals.begun().error());
  auto config = load(globals);
  if (!config.ok()) return refuse(config.error());
  if (!options.host.empty()) config->server.host = options.host;
  if (options.port >= 0) config->server.port = options.port;
  if (!options.upstream.empty()) {
    if (const Status set = set_setting(*config, "proxy.upstream", options.upstream); !set.ok())
      return refuse(set.error());
  }
  auto engine = open_when_free(*config);
  if (!engine.ok()) return report(globals, engine.error());
  const auto commands = serve_commands(**engine);
  const int code = run_server(**engine, *config, local_model(**engine), signals.token(), [&](const std::string& url) {
    if (globals.console->interactive() && !globals.json) return greet(*globals.console, *config, url);
    globals.console->line(nlohmann::ordered_json{{"listening", url}, {"upstream", config->proxy.upstream}}.dump());
  });
  if (commands) commands->stop(kGrace);
  return code;
}

namespace {

constexpr std::chrono::seconds kStdioGrace{2};  // for commands of others when this one ends

constexpr const char* kToolsHelp = "tools that are offered: few, all, or names with commas between";

mcp::StdioOptions options_of(const Globals& globals, const RequestContext& request, const std::string& tools,
                             const Config& config, const AuditLog& audit) {
  return {request,
          SessionId(globals.session == "default" ? "mcp" : globals.session),
          tools,
          {static_cast<std::size_t>(config.server.max_body_bytes), static_cast<std::size_t>(config.limits.max_depth)},
          {Access{"mcp"}, {}, &audit}};
}

// Reads until the input ends. Gives whether the server that does this command's work ends instead.
Result<bool> serve_input(Console& console, mcp::StdioServer& server) {
  for (;;) {
    const auto line = console.read_line();
    if (!line.ok() && line.error().code == ErrorCode::kUnavailable) return true;
    if (!line.ok() && line.error().code == ErrorCode::kCancelled) return false;
    if (!line.ok()) return line.error();
    if (!*line) return false;
    server.take(**line);
  }
}

}  // namespace

int mcp(const Globals& globals, const std::string& tools) {
  bool goes_on = false;
  const int code = with_whole_engine(globals, [&](EngineImpl& engine, const RequestContext& request) -> Status {
    if (const auto chosen = weft::mcp::chosen_tools(tools); !chosen.ok()) return chosen.error();
    // Whoever else wants the workspace meanwhile is served from here.
    const auto commands = globals.serving == nullptr ? serve_commands(engine) : nullptr;
    weft::mcp::Protocol protocol(engine);
    Console& console = *globals.console;
    const AuditLog audit(AuditLog::file_of(engine.config().workspace));
    weft::mcp::StdioServer server(protocol, options_of(globals, request, tools, engine.config(), audit),
                                  [&console](const std::string& message) { console.line(message); });
    const auto served = serve_input(console, server);
    server.end();
    if (commands) commands->stop(kStdioGrace);
    if (!served.ok()) return served.error();
    goes_on = *served && globals.serving != nullptr;
    return {};
  });
  return goes_on ? kGoOnElsewhere : code;
}

void add_mcp(CommandLine& line) {
  auto tools = std::make_shared<std::string>("few");
  auto* serving =
      line.app().add_subcommand("mcp", "memory for clients of the Model Context Protocol, on stdin and stdout");
  serving->add_option("--tools", *tools, kToolsHelp)->envname("WEFT_MCP_TOOLS");
  serving->require_subcommand(0, 1);
  line.on(serving, Place::kStays, [tools](const Globals& globals) { return mcp(globals, *tools); });
  auto install_server = std::make_shared<McpInstall>();
  auto* installing = serving->add_subcommand("install", "write it into a client's configuration");
  installing->add_option("client", install_server->client, "claude, codex, cursor or vscode")
      ->required()
      ->check(CLI::IsMember({"claude", "codex", "cursor", "vscode"}));
  installing->add_option("--tools", install_server->tools, kToolsHelp);
  installing->add_flag("--project", install_server->project,
                       "the file of the project in this folder instead of your own");
  installing->add_flag("--write", install_server->write, "write it; without this only shows what would change");
  line.on(installing, Place::kAnywhere,
          [install_server](const Globals& globals) { return mcp_install(globals, *install_server); });
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "weft";

/// Where a client keeps what it connects to.
struct ClientFile {
  fs::path file;
  std::vector<std::string> path;  ///< of the entry
  bool toml = false;
  bool says_type = false;  ///< an entry names its kind of connection
};

Result<ClientFile> file_of(const Globals& globals, const McpInstall& options) {
  fs::path home;
  if (!options.project) {
    WEFT_TRY(home, home_folder("use --project"));
  }
  const auto in = [&](const char* own, const char* project) {
    return options.project ? globals.console->path(project) : home / own;
  };
  if (options.client == "claude")
    return ClientFile{in(".claude.json", ".mcp.json"), {"mcpServers", kName}, false, true};
  if (options.client == "cursor") return ClientFile{in(".cursor/mcp.json", ".cursor/mcp.json"), {"mcpServers", kName}};
  if (options.client == "vscode")
    return ClientFile{in(".config/Code/User/mcp.json", ".vscode/mcp.json"), {"servers", kName}, false, true};
  return ClientFile{in(".codex/config.toml", ".codex/config.toml"), {"mcp_servers", kName}, true};
}

Result<std::vector<mcp::Setting>> settings_of(const Globals& globals, const McpInstall& options, bool says_type) {
  WEFT_TRY(const std::string program, own_program());
  WEFT_TRY(const auto own, own_options(globals));
  ValueList arguments{"mcp"};
  for (const std::string& option : own) arguments.emplace_back(option);
  if (options.tools != "few") {
    arguments.emplace_back("--tools");
    arguments.emplace_back(options.tools);
  }
  std::vector<mcp::Setting> settings{{"command", program}, {"args", std::move(arguments)}};
  if (says_type) settings.insert(settings.begin(), {"type", "stdio"});
  return settings;
}

Status install_server(const Globals& globals, const McpInstall& options) {
  WEFT_TRY(const ClientFile client, file_of(globals, options));
  WEFT_TRY(const auto settings, settings_of(globals, options, client.says_type));
  return change_file(globals, client.file, options.write, [&](const std::string& before) {
    return client.toml ? mcp::set_in_toml(before, client.path, settings)
                       : mcp::set_in_json(before, client.path, settings);
  });
}

}  // namespace

int mcp_install(const Globals& globals, const McpInstall& options) {
  const Status done = install_server(globals, options);
  return done.ok() ? kDone : report(globals, done.error());
}

// `weft hook`: what the hooks of Claude Code run.

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

Status install_hook(const Globals& globals, const HookInstall& options) {
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
    const Status done = install_hook(globals, *install_options);
    return done.ok() ? kDone : report(globals, done.error());
  });
}

// Commands for the keys of the server: who may ask it, and for what.

namespace {

struct KeyOptions {
  std::string name, right = "write";
  std::vector<std::string> users, groups;
};

std::filesystem::path workspace_of(const Globals& globals) { return globals.console->path(globals.workspace); }

std::string opened_by(const ApiKey& key) {
  std::string text;
  for (const std::string& user : key.users) text += " user:" + user;
  for (const std::string& group : key.groups) text += " group:" + group;
  return text.empty() ? "everybody" : text.substr(1);
}

Status add_key(const Globals& globals, const KeyOptions& options) {
  const auto right = enum_of<Right>(options.right);
  if (!right) return invalid_argument("there is no right \"" + options.right + "\"", "use one of: read, write, admin");
  WEFT_CHECK(make_private_folder(workspace_of(globals)));
  KeyRing keys(KeyRing::file_of(workspace_of(globals)));
  ApiKey about;
  about.name = options.name, about.right = *right, about.users = options.users, about.groups = options.groups;
  WEFT_TRY(const NewKey made, keys.add(std::move(about), SystemClock().now()));
  globals.made->push_back("key " + made.kept.id);
  if (globals.json) {
    globals.console->line(
        to_json(Value(ValueObject{{"name", made.kept.name}, {"id", made.kept.id}, {"key", made.key}})));
    return {};
  }
  globals.console->line(made.key);
  globals.console->complain("It may %s and opens the memory of %s. It is shown this once: keep it now.\n",
                            std::string(to_string(*right)).c_str(), opened_by(made.kept).c_str());
  return {};
}

Status list_keys(const Globals& globals) {
  WEFT_TRY(const auto all, KeyRing(KeyRing::file_of(workspace_of(globals))).keys());
  if (all.empty() && !globals.json) globals.console->line("no keys yet; `weft key add NAME` makes one");
  for (const ApiKey& key : all) {
    if (globals.json) {
      globals.console->line(to_json(listed(key)));
      continue;
    }
    globals.console->print("%-20s %-10s %-6s %-25s %s\n", key.name.c_str(), key.id.c_str(),
                           std::string(to_string(key.right)).c_str(), format_time(key.created).c_str(),
                           opened_by(key).c_str());
  }
  return {};
}

Status revoke_key(const Globals& globals, const std::string& name) {
  KeyRing keys(KeyRing::file_of(workspace_of(globals)));
  WEFT_TRY(const ApiKey gone, keys.revoke(name));
  globals.made->push_back("key " + gone.id);
  globals.console->line(globals.json ? to_json(listed(gone))
                                     : "revoked " + gone.name + "; a running server refuses it now");
  if (keys.empty())
    globals.console->complain(
        "It was the last one: until `weft key add NAME` makes another, the server lets nobody in.\n");
  return {};
}

int finish(const Globals& globals, const Status& status) {
  return status.ok() ? kDone : report(globals, status.error());
}

}  // namespace

void add_keys(CommandLine& line) {
  auto asked = std::make_shared<KeyOptions>();
  auto* keys = line.app().add_subcommand("key", "who may ask the server, and for what");
  keys->require_subcommand(1);
  auto* adding = keys->add_subcommand("add", "make a key and show it this once");
  adding->add_option("name", asked->name, "what it is called in lists and logs")->required();
  adding->add_option("--right", asked->right, "read, write (default) or admin; each includes those before it");
  adding->add_option("--for-user", asked->users, "only for this user's memory; may be given several times");
  adding->add_option("--for-group", asked->groups, "only for this group's memory; likewise");
  line.on(adding, Place::kAnywhere,
          [asked](const Globals& globals) { return finish(globals, add_key(globals, *asked)); });
  line.on(keys->add_subcommand("list", "all keys, without their secrets"), Place::kAnywhere,
          [](const Globals& globals) { return finish(globals, list_keys(globals)); });
  auto* revoking = keys->add_subcommand("revoke", "take a key away");
  revoking->add_option("name", asked->name, "its name or its id")->required();
  line.on(revoking, Place::kAnywhere,
          [asked](const Globals& globals) { return finish(globals, revoke_key(globals, asked->name)); });
}

// weft agent watch: learning from the sessions of other agents while these are written.

namespace {

// A burst of lines is one look; a folder that takes long to look through is looked at less often.
constexpr std::chrono::milliseconds kPause{500};
constexpr int kShareOfTime = 10;
constexpr std::chrono::seconds kPatience{5};  // for another one to end
constexpr std::chrono::seconds kAgain{5};  // where the workspace could not be had
constexpr std::chrono::seconds kLongest{60};  // also where notices get lost, as on network file systems

struct WatchOptions {
  std::string folder, format;
  std::int64_t quiet = 600;
  bool once = false, no_learning = false;
};

/// Follows a folder: finds tasks by itself, and needs the workspace only to keep them.
class Watcher {
 public:
  Watcher(const Globals& globals, const WatchOptions& options) : globals_(globals), options_(options) {}

  Status run() {
    WEFT_TRY(const auto request, request_of(globals_));
    log_ = followed_log(globals_.workspace, request.scope.key());
    WEFT_CHECK(make_folder(log_.parent_path()));
    which_ = {globals_.console->path(options_.folder), {}, std::chrono::seconds(options_.quiet)};
    for (const TranscriptFormat format : kTranscriptFormats)
      if (to_string(format) == options_.format) which_.format = format;
    WEFT_TRY(auto watch, FolderWatch::open(which_.folder));
    WEFT_CHECK(open());
    if (options_.once) return once();
    if (!globals_.json)
      globals_.console->line("watching " + which_.folder.string() + "; Ctrl-C ends it, and it goes on where it was");
    for (;;) {
      const auto begun = std::chrono::steady_clock::now();
      WEFT_TRY(const auto look, follower_->look());
      if (!keep(look)) {
        std::this_thread::sleep_for(kAgain);
        WEFT_CHECK(open());
        continue;
      }
      if (!follower_) WEFT_CHECK(open());
      if (look.more) continue;
      const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
      std::this_thread::sleep_for(std::max(kPause, took * kShareOfTime));
      watch.wait(std::min(look.due.value_or(kLongest), kLongest), globals_.console->cancelled());
    }
  }

 private:
  Status open() {
    close();
    // A server may still be at the last round of a command that was killed.
    auto lock = WorkspaceLock::take(log_.parent_path());
    for (const Deadline until = Deadline::after(kPatience); !lock.ok() && !until.passed();) {
      std::this_thread::sleep_for(kPause);
      lock = WorkspaceLock::take(log_.parent_path());
    }
    if (!lock.ok())
      return conflict("watch: another `weft agent watch` follows sessions for this user", "end that one first");
    lock_ = std::move(*lock);
    WEFT_TRY(auto follower, TranscriptFollower::open(disk(), log_, which_));
    follower_.emplace(std::move(follower));
    return {};
  }

  void close() {
    follower_.reset();
    lock_.reset();
  }

  Status once() {
    for (bool more = true; more;) {
      WEFT_TRY(const auto look, follower_->look());
      if (!keep(look)) return unavailable("watch: what was found could not be kept");
      if (!follower_) return {};  // a server did it
      files_ = look.files;
      more = look.more;
    }
    if (!globals_.json && globals_.serving == nullptr)
      globals_.console->line(std::to_string(tasks_) + " tasks in " + std::to_string(files_) + " files");
    return {};
  }

  // One opening of the workspace for all that a look found. Where a server holds it, that does a round by itself, with
  // the same log.
  bool keep(const TranscriptFollower::Look& look) {
    if (look.found.empty()) return true;
    Globals own = globals_;
    if (globals_.hand_over)
      own.hand_over = [this] {
        if (!std::filesystem::exists(std::filesystem::path(globals_.workspace) / "weft.sock"))
          return std::optional<int>();
        close();
        return globals_.hand_over();
      };
    const int code = with_engine(own, [&](Engine& engine, const RequestContext& request) -> Status {
      for (const auto& found : look.found) {
        WEFT_TRY(const auto made, import(engine.hindsight(request), found));
        tell(found, made);
        if (follower_) WEFT_CHECK(follower_->taken(found));
      }
      return {};
    });
    return code == kDone;
  }

  Result<ImportedRuns> import(const Hindsight& hindsight, const TranscriptFollower::Found& found) const {
    if (found.reports.empty()) return ImportedRuns();
    std::string reports;
    for (const TaskReport& report : found.reports) reports += to_json(report) + "\n";
    return hindsight.import_runs(reports, found.file.string(), !options_.no_learning);
  }

  void tell(const TranscriptFollower::Found& found, const ImportedRuns& made) {
    for (const std::string& problem : found.problems) globals_.console->complain("! %s\n", problem.c_str());
    const auto line = [this](const std::string& id, const std::string& what, const std::string& task) {
      globals_.console->line(id + "  " + what + "  " + task.substr(0, task.find('\n')));
    };
    for (std::size_t i = 0; i < made.reflections.size(); ++i) {
      ++tasks_;
      const Reflection& one = made.reflections[i];
      if (globals_.json)
        globals_.console->line(to_json(one));
      else
        line(one.id,
             std::to_string(found.reports[i].steps.size()) + " steps, " + std::to_string(one.errors.size()) + " errors",
             one.task);
    }
    for (const TaskReport& one : made.kept) {
      ++tasks_;
      if (globals_.json)
        globals_.console->line(to_json(one));
      else
        line(one.id, std::to_string(one.steps.size()) + " steps, kept", one.task);
    }
  }

  const Globals& globals_;
  const WatchOptions& options_;
  FollowedFiles which_;
  std::filesystem::path log_;
  std::optional<WorkspaceLock> lock_;  ///< of the log
  std::optional<TranscriptFollower> follower_;
  std::size_t tasks_ = 0, files_ = 0;
};

}  // namespace

void add_watch(CommandLine& line) {
  auto asked = std::make_shared<WatchOptions>();
  auto* watching = line.app().get_subcommand("agent")->add_subcommand(
      "watch",
      "learn from sessions of other agents while they are written: OpenAI-style messages, Claude Code, Codex, "
      "OpenHands, SWE-agent");
  watching->add_option("folder", asked->folder, "in which their files are, at any depth")->required();
  std::vector<std::string> formats;
  for (const TranscriptFormat format : kTranscriptFormats)
    if (format != TranscriptFormat::kTaskReports) formats.emplace_back(to_string(format));
  watching->add_option("--format", asked->format, "only files of this one; default: all that are known")
      ->check(CLI::IsMember(formats));
  watching
      ->add_option(
          "--quiet", asked->quiet,
          "seconds: a task whose file rests for so long behind an answer is over; 12 times as long without one")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{7 * 24 * 3600}))
      ->capture_default_str();
  watching->add_flag("--once", asked->once, "take what is over now, and end");
  watching->add_flag("--no-learning", asked->no_learning,
                     "keep the reports of their tasks, and learn nothing from them");
  line.on(watching, Place::kFollows, [asked](const Globals& globals) {
    const Status done = Watcher(globals, *asked).run();
    return done.ok() ? kDone : report(globals, done.error());
  });
}

}  // namespace weft::cli
