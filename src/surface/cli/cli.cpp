#include <unistd.h>
#include <CLI/CLI.hpp>

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
#include "surface/access/access.h"
#include "surface/cli/beside/socket.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/console.h"
#include "surface/cli/output.h"
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

// The commands of `weft`: their words, what each takes, and what it runs.

void add_memory(CommandLine& line) {
  CLI::App& app = line.app();
  line.on(app.add_subcommand("init", "make a workspace"), Place::kWorkspace, init);
  auto* observing = app.add_subcommand("observe", "take messages (JSON lines on stdin), one decision a line out");
  auto history = std::make_shared<bool>(false);
  observing->add_flag("--history", *history,
                      "stdin is a client's whole history as one JSON array; branches are followed");
  line.on(observing, Place::kWorkspace, [history](const Globals& globals) { return observe(globals, *history); });
  line.on(app.add_subcommand("save", "close the session's open topic now"), Place::kWorkspace, save);

  auto found = std::make_shared<SearchOptions>();
  auto* searching = app.add_subcommand("search", "search the memory");
  found->what.offer_all_but(*searching, {"compact", "cursor"});
  searching->add_option("--where", found->where,
                        "only events with this metadata, such as sender_id=ann; may be repeated");
  searching->add_flag("--originals", found->originals, "show the messages that a result was made from");
  line.on(searching, Place::kWorkspace, [found](const Globals& globals) { return search(globals, *found); });

  auto woven = std::make_shared<ContextOptions>();
  auto* weaving = app.add_subcommand("context", "weave the prompt of the next model call");
  woven->what.offer(*weaving, {"input", "system", "model", "window", "output_tokens", "planned", "state", "template",
                               "layout", "skein", "full", "request_id"});
  weaving->add_option("--request", woven->request, "file with the body of POST /v1/sessions/{id}/context; - is stdin");
  weaving->add_flag("--explain", woven->explain, "show what went in and why");
  line.on(weaving, Place::kWorkspace, [woven](const Globals& globals) { return context(globals, *woven); });
}

void add_task(CommandLine& line) {
  auto given = std::make_shared<TaskOptions>();
  auto* tasks =
      line.app().add_subcommand("task", "what the session works on: it stands in every prompt until it is ended");
  tasks->require_subcommand(1);
  const auto add = [&](const char* name, const char* text) {
    auto* sub = tasks->add_subcommand(name, text);
    line.on(sub, Place::kWorkspace, [given, name](const Globals& globals) {
      given->what = name;
      return task(globals, *given);
    });
    return sub;
  };
  auto* set = add("set", "set it, in the place of the former one");
  given->task.offer_all_but(*set, {"since"});
  add("show", "print it");
  add("end", "it is done");
}

void add_story(CommandLine& line) {
  CLI::App& app = line.app();
  auto kept = std::make_shared<StateOptions>();
  auto* states = app.add_subcommand("state", "the exact state of a world: entities, values, versions");
  states->require_subcommand(1);
  const auto add_state = [&](const char* name, const char* text) {
    auto* sub = states->add_subcommand(name, text);
    sub->add_option("--name", kept->name, "which state, \"default\" if left out");
    sub->add_option("--world", kept->world, "the state of that world, which many share");
    line.on(sub, Place::kWorkspace, [kept, name](const Globals& globals) {
      kept->what = name;
      return state(globals, *kept);
    });
    return sub;
  };
  add_state("get", "print it as JSON")->add_option("--version", kept->version, "as it stood after that version");
  const char* source = "JSON; @FILE reads a file, - standard input";
  for (const auto& [name, text] : {std::pair{"put", "put a whole tree in its place"},
                                   std::pair{"apply", "apply operations such as [\"SET\",\"hero.hp\",5]"}}) {
    auto* sub = add_state(name, text);
    sub->add_option("json", kept->text, source)->required();
    sub->add_option("--author", kept->author, "who changes it");
  }
  add_state("log", "its newest versions")
      ->add_option("--limit", kept->limit, kLimitHelp)
      ->check(CLI::NonNegativeNumber);
  auto* schema = add_state("schema", "the JSON schema that changes keep to: print it, set it or lift it");
  schema->add_option("json", kept->text, source);
  schema->add_option("--author", kept->author, "who sets it");
  schema->add_flag("--drop", kept->drop, "lift it");
  add_state("rollback", "put a former version back")->add_option("version", kept->version, "which")->required();

  auto asked = std::make_shared<QuestOptions>();
  auto* quests = app.add_subcommand("quest", "what is to be reached, and what waits for what");
  quests->require_subcommand(1);
  const auto add_quest = [&](const char* name, const char* text) {
    auto* sub = quests->add_subcommand(name, text);
    sub->add_option("--world", asked->world, "the quests of that world, which many share");
    line.on(sub, Place::kWorkspace, [asked, name](const Globals& globals) {
      asked->what = name;
      return quest(globals, *asked);
    });
    return sub;
  };
  add_quest("list", "all quests");
  add_quest("import", "take quests from a file, YAML or JSON")->add_option("file", asked->file, "the file")->required();
  auto* move = add_quest("move", "move a quest on, or note its progress");
  move->add_option("id", asked->id, "which")->required();
  move->add_option("status", asked->status, "available, in_progress, completed or failed")->required();
  move->add_option("note", asked->note, "how it ended; with the status it has already: how far it is");

  add_quest("delete", "take a quest out")->add_option("id", asked->id, "which")->required();

  auto told = std::make_shared<LoreOptions>();
  auto* lores = app.add_subcommand("lore", "knowledge about a world");
  lores->require_subcommand(1);
  const auto add_lore = [&](const char* name, const char* text) {
    auto* sub = lores->add_subcommand(name, text);
    sub->add_option("--world", told->world, "the lore of that world, which many share");
    line.on(sub, Place::kWorkspace, [told, name](const Globals& globals) {
      told->what = name;
      return lore(globals, *told);
    });
    return sub;
  };
  add_lore("list", "all entries");
  add_lore("show", "one entry")->add_option("id", told->id, "which")->required();
  add_lore("import", "take lore from Markdown, text, JSON or World Info files")
      ->add_option("path", told->path, "a file or a folder")
      ->required();
  auto* setting = add_lore("set", "put one entry, as JSON");
  setting->add_option("id", told->id, "which")->required();
  setting->add_option("json", told->json, "JSON; @FILE reads a file")->required();
  auto* deleting = add_lore("delete", "take entries out");
  deleting->add_option("id", told->id, "which");
  deleting->add_option("--file", told->file, "all that were imported from it");

  auto compacted = std::make_shared<CompactOptions>();
  auto* compacting = app.add_subcommand("compact", "put a summary in the place of a session's older turns");
  compacted->how.offer_all_but(*compacting, {});
  compacting->add_flag("--show", compacted->show, "show what was compacted");
  compacting->add_flag("--undo", compacted->undo, "take the newest compaction back");
  compacting->add_option("--expand", compacted->expand, "show the original words that a compaction stands for: its id");
  line.on(compacting, Place::kWorkspace, [compacted](const Globals& globals) { return compact(globals, *compacted); });
}

void add_cognitive(CommandLine& line) {
  CLI::App& app = line.app();
  auto ended = std::make_shared<Words<EndRequest>>();
  auto* ending = app.add_subcommand("end", "end an agent's turn: what it did and what it learnt");
  ended->offer_all_but(*ending, {"summary"});
  line.on(ending, Place::kWorkspace, [ended](const Globals& globals) { return end(globals, *ended); });

  auto asked = std::make_shared<ProfileOptions>();
  auto* profiles = app.add_subcommand("profile", "what is known of a user or a group over the long run");
  profiles->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, const char* words) {
    auto* sub = profiles->add_subcommand(name, text);
    if (*words != '\0') {
      sub->add_option("--type", asked->type, "user or group")->check(CLI::IsMember({"user", "group"}));
      sub->add_option("--id", asked->id, "whose; default: the user or group of the command line");
      sub->add_option("which", asked->words, words);
    }
    line.on(sub, Place::kWorkspace, [asked, name](const Globals& globals) {
      asked->what = name;
      return profile(globals, *asked);
    });
  };
  const char* whose = "user:ID or group:ID, as the list shows it";
  const char* which = "user:ID or group:ID, as the list shows it, and a kept version, see `weft profile history`";
  add("list", "all profiles", "");
  add("show", "a profile, or a kept version of it", which);
  add("history", "the kept versions", whose);
  add("diff", "what changed since a kept version", which);
  add("rollback", "put a kept version back", which);
  add("edit", "open it in $EDITOR", whose);

  auto tool_name = std::make_shared<std::string>();
  auto arguments = std::make_shared<std::string>("{}");
  auto* tools = app.add_subcommand("tool", "run a memory tool as a model would");
  tools
      ->add_option("name", *tool_name, "end, cognitive_search_events, cognitive_get_profile, cognitive_search_profiles")
      ->required();
  tools->add_option("arguments", *arguments, "JSON");
  line.on(tools, Place::kWorkspace,
          [tool_name, arguments](const Globals& globals) { return tool(globals, *tool_name, *arguments); });

  auto erased = std::make_shared<EraseOptions>();
  auto* erasing =
      app.add_subcommand("erase", "forget messages of a user (-u) or a group (-g) and all that came from them");
  erasing->add_flag("--everything", erased->everything, "all of that user's private memory, or of that group's");
  erasing->add_flag("--in-groups", erased->in_groups, "also what of that user stands in the memory of groups");
  erasing->add_flag("--yes", erased->yes, "ask nothing, also where nobody is named");
  erasing->add_option("--message", erased->messages,
                      "id of a message, of the session -s where one is named; may be repeated");
  erasing->add_option("--before", erased->before, "all that was said before this date or time");
  erasing->add_option("--verify", erased->verify, "check a receipt: its id");
  line.on(erasing, Place::kWorkspace, [erased](const Globals& globals) { return erase(globals, *erased); });

  auto migrated = std::make_shared<MigrateOptions>();
  auto* migrating = app.add_subcommand("migrate", "turn an end_summaries.json into events");
  migrating->add_option("file", migrated->file, "the file")->required();
  line.on(migrating, Place::kWorkspace, [migrated](const Globals& globals) { return migrate(globals, *migrated); });
}

void add_queue(CommandLine& line) {
  CLI::App& app = line.app();
  auto* queue = app.add_subcommand("queue", "the historian's jobs");
  queue->require_subcommand(1);
  line.on(queue->add_subcommand("status", "how many wait, run, failed"), Place::kWorkspace, queue_status);
  line.on(queue->add_subcommand("list", "the jobs one by one"), Place::kWorkspace, queue_list);
  auto job = std::make_shared<std::string>();
  auto* showing = queue->add_subcommand("show", "a job with its payload and reason");
  showing->add_option("job", *job, "its id")->required();
  line.on(showing, Place::kWorkspace, [job](const Globals& globals) { return queue_show(globals, *job); });
  auto all = std::make_shared<bool>(false);
  auto* purging = queue->add_subcommand("purge", "take failed jobs out for good");
  purging->add_option("job", *job, "its id");
  purging->add_flag("--all", *all, "all failed ones");
  line.on(purging, Place::kWorkspace, [job, all](const Globals& globals) { return queue_purge(globals, *job, *all); });
  auto* again = queue->add_subcommand("retry", "put failed jobs back");
  again->add_option("job", *job, "its id");
  again->add_flag("--all", *all, "all failed ones, at once");
  line.on(again, Place::kWorkspace, [job, all](const Globals& globals) { return queue_retry(globals, *job, *all); });
}

void add_care(CommandLine& line) {
  CLI::App& app = line.app();
  auto folder = std::make_shared<std::string>();
  auto* saving = app.add_subcommand("backup", "write the whole workspace to a folder, while it is used");
  saving->add_option("folder", *folder, "empty, or not there yet")->required();
  line.on(saving, Place::kWorkspace, [folder](const Globals& globals) { return backup(globals, *folder); });
  auto* restoring = app.add_subcommand("restore", "put a backup in the place of an empty workspace");
  restoring->add_option("folder", *folder, "that `weft backup` wrote, or a file of `weft export --archive`")
      ->required();
  line.on(restoring, Place::kAnywhere, [folder](const Globals& globals) { return restore(globals, *folder); });
  auto* exporting = app.add_subcommand("export", "all that is kept of a user (-u) or a group (-g), as JSON lines");
  auto file = std::make_shared<std::string>();
  exporting->add_option("file", *file, "where to; left out: standard output");
  auto archive = std::make_shared<std::string>();
  exporting->add_option(
      "--archive", *archive,
      "instead the whole workspace as one file (.tar.gz), without keys; `weft import archive` reads it");
  line.on(exporting, Place::kWorkspace, [file, archive](const Globals& globals) {
    return archive->empty() ? export_memory(globals, *file) : export_archive(globals, *archive);
  });
}

void add_surfaces(CommandLine& line) {
  CLI::App& app = line.app();
  auto served = std::make_shared<ServeOptions>();
  auto* serving = app.add_subcommand("serve", "HTTP server: REST interface and OpenAI-compatible proxy");
  serving->add_option("--host", served->host, "address to listen on");
  serving->add_option("--port", served->port, "port to listen on; 0 takes a free one");
  serving->add_option("--upstream", served->upstream, "base URL of the model server, with /v1");
  line.on(serving, Place::kAlone, [served](const Globals& globals) { return serve(globals, *served); });
  add_mcp(line);
  line.on(app.add_subcommand("chat", "chat in the terminal"), Place::kWorkspace, chat);
  line.on(app.add_subcommand("demo", "see it work on a conversation that comes with it"), Place::kAnywhere, demo);
  auto looked = std::make_shared<DoctorOptions>();
  auto* looking = app.add_subcommand("doctor", "check disk, locks, settings, keys, models, time zones and the index");
  looking->add_flag("--repair", looked->repair, "make what is wrong in the index anew from what it was made from");
  looking->add_flag("--online", looked->online, "also ask the servers of models whether they are there");
  looking
      ->add_option("--patience", looked->patience,
                   "seconds to wait for the lock, a model and a server, each; otherwise 2, 30 and 10")
      ->check(CLI::Range(0.0, 86400.0));
  line.on(looking, Place::kWorkspace, [looked](const Globals& globals) { return doctor(globals, *looked); });
  auto* repairing = app.add_subcommand("repair", "make what is kept anew from its sources");
  repairing->require_subcommand(1);
  auto dry_run = std::make_shared<bool>(false);
  auto* events = repairing->add_subcommand("events", "word all events anew from what was said, and tell what changed");
  events->add_flag("--dry-run", *dry_run, "only tell what would change");
  line.on(events, Place::kWorkspace, [dry_run](const Globals& globals) { return repair_events(globals, *dry_run); });
  auto name = std::make_shared<std::string>("end"), language = std::make_shared<std::string>("en");
  auto* prompting = app.add_subcommand("prompt", "a text that is shipped for models, such as how to call `end`");
  prompting->add_option("name", *name, "which; 'end' where it is left out");
  prompting->add_option("--language", *language, "its language")->check(CLI::IsMember({"en", "zh"}));
  line.on(prompting, Place::kAnywhere,
          [name, language](const Globals& globals) { return prompt(globals, *name, *language); });
  auto reembedded = std::make_shared<ReembedOptions>();
  auto* reembedding = app.add_subcommand("reembed", "change the embedding model; goes on where it was interrupted");
  reembedding->add_option("--model", reembedded->model, "its name: a file in the model folder, or the endpoint's name")
      ->required();
  line.on(reembedding, Place::kAlone, [reembedded](const Globals& globals) { return reembed(globals, *reembedded); });
  line.on(app.add_subcommand("settings", "every setting with its default and meaning"), Place::kAnywhere, settings);
}

}  // namespace weft::cli
