#include <signal.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "agent/builtin_tools.h"
#include "agent/research_stream.h"
#include "agent/run_state.h"
#include "base/clock.h"
#include "base/strings.h"
#include "growth/agent_files.h"
#include "growth/rule_book.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"
#include "surface/api/operation.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/output.h"
#include "weft/facets/research.h"

namespace weft::cli {

// weft agent: runs of agents, followed as they go.

namespace {

constexpr std::chrono::milliseconds kLook{150};
constexpr int kInterruptedCode = 130;

struct AgentWords {
  std::string text, run, type, model, tools, question, arguments, verify;
  std::int64_t at = 0, limit = 20, tool_calls = 0, seconds = 0, tokens = 0;
  std::uint64_t since = 0;
  bool no_learning = false;
};

/// Counts Ctrl-C while a run is followed by this very process; the second one ends it at once, which its stream bears.
class Interrupts {
 public:
  Interrupts() {
    count_ = 0;
    struct sigaction take{};
    take.sa_handler = [](int) {
      if (++count_ > 1) ::_exit(kInterruptedCode);
    };
    ::sigaction(SIGINT, &take, &before_);
  }
  ~Interrupts() { ::sigaction(SIGINT, &before_, nullptr); }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  static bool any() { return count_ > 0; }
  static void forget() { count_ = 0; }

 private:
  static inline std::atomic<int> count_ = 0;
  struct sigaction before_{};
};

/// Shows a run as it goes, and lets its person take part.
class Follower {
 public:
  Follower(const Globals& globals, AgentRuns runs, std::string run)
      : globals_(globals), console_(*globals.console), runs_(std::move(runs)), run_(std::move(run)) {}

  void from(std::uint64_t since) { since_ = since; }

  Status follow() {
    for (;;) {
      WEFT_TRY(const auto events, runs_.events(run_, since_, kLook));
      for (const BusEvent& event : events) show(event);
      if (console_.cancelled().stop_requested()) return leave();
      if (Interrupts::any()) {
        WEFT_TRY(const bool go_on, interrupted());
        if (!go_on) return end();
      }
      if (!events.empty()) continue;
      WEFT_TRY(const AgentRun now, runs_.show(run_));
      if (now.events > since_) continue;
      if (now.status == "ended" || now.status == "interrupted" || now.status == "stopped") return end();
      if (now.status != "waiting") continue;
      WEFT_TRY(const bool answered, ask(now));
      if (!answered) return end();
    }
  }

 private:
  void show(const BusEvent& event) {
    since_ = event.id;
    if (globals_.json) return console_.line(to_json(event));
    if (const std::string text = told_event(event, console_.colours()); !text.empty()) console_.line(text);
  }

  // Where nobody can answer here, the run waits for `weft agent answer`.
  Result<bool> ask(const AgentRun& now) {
    if (!console_.interactive() || globals_.json) return false;
    const Question& question = now.questions.front();
    // Of a sub-agent: it was not shown yet.
    if (question.run != run_) console_.line(question.text);
    WEFT_TRY(const auto line, console_.read_line("answer> "));
    if (!line) return false;
    AgentAnswer answer{question.id, *line, {}};
    if (question.kind == QuestionKind::kApproval && line->starts_with('{')) answer = {question.id, "allow", *line};
    const auto said = runs_.answer(run_, answer);
    if (!said.ok()) (void)report(globals_, said.error());
    return true;
  }

  Result<bool> interrupted() {
    const auto stopped = runs_.interrupt(run_, "Ctrl-C");
    if (!stopped.ok() && stopped.error().code != ErrorCode::kConflict) return stopped.error();
    if (!console_.interactive() || globals_.json) return false;
    Interrupts::forget();
    WEFT_TRY(const auto line, console_.read_line("\nsay something and it goes on; empty: it stays interrupted> "));
    if (!line || line->find_first_not_of(" \t\r") == std::string::npos) return false;
    WEFT_TRY(const AgentRun now, runs_.say(run_, *line));
    (void)now;
    return true;
  }

  Status leave() {
    (void)runs_.interrupt(run_, "nobody waits for it any more");
    return cancelled("nobody waits for this command any more", "`weft agent resume " + run_ + "` goes on");
  }

  Status end() {
    WEFT_TRY(const auto events, runs_.events(run_, since_, {}));
    for (const BusEvent& event : events) show(event);
    WEFT_TRY(const AgentRun now, runs_.show(run_));
    if (globals_.json)
      console_.line("{\"run\":" + to_json(now) + "}");
    else if (now.status != "ended")
      print_run(console_, now);
    return {};
  }

  const Globals& globals_;
  Console& console_;
  AgentRuns runs_;
  std::string run_;
  std::uint64_t since_ = 0;
};

using Work = std::function<Status(AgentRuns runs)>;

int with_runs(const Globals& globals, const Work& work) {
  return with_engine(globals,
                     [&](Engine& engine, const RequestContext& request) { return work(engine.agents(request)); });
}

// A person who follows in this process may press Ctrl-C; in a server that is not the signal's meaning.
Status follow(const Globals& globals, const AgentRuns& runs, const std::string& run, std::uint64_t since) {
  Follower follower(globals, runs, run);
  follower.from(since);
  if (globals.serving != nullptr) return follower.follow();
  const Interrupts interrupts;
  return follower.follow();
}

Result<AgentTask> task_of(const Globals& globals, const AgentWords& words) {
  AgentTask task;
  task.task = words.text;
  task.type = words.type;
  task.model = words.model;
  task.limits.tool_calls = words.tool_calls;
  task.limits.seconds = words.seconds;
  task.limits.tokens = words.tokens;
  task.learn = !words.no_learning;
  if (!words.tools.empty()) {
    WEFT_TRY(const std::string text, read_file(globals.console->path(words.tools)));
    WEFT_TRY(task.tools, parse_record<AgentTools>(text, words.tools));
  }
  if (words.verify.empty()) return task;
  AgentCommand verifier;
  verifier.name = kVerify;
  verifier.command = {"/bin/sh", "-c", words.verify};
  task.tools.commands.push_back(std::move(verifier));
  return task;
}

int run_agent(const Globals& globals, const AgentWords& words) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(globals, engine);
    WEFT_TRY(const AgentTask task, task_of(globals, words));
    WEFT_TRY(const AgentRun run, engine.agents(request).start(task));
    if (!globals.json) globals.console->line("run " + run.id);
    return follow(globals, engine.agents(request), run.id, 0);
  });
}

int list_runs(const Globals& globals, const AgentWords& words) {
  return with_runs(globals, [&](const AgentRuns& runs) -> Status {
    WEFT_TRY(auto all, runs.list(asked_for(words.limit)));
    const bool more = cut_list(all, words.limit);
    if (globals.json) return globals.console->line(cut_list_json(all, more)), Status();
    if (all.empty()) globals.console->line("no runs");
    for (const AgentRun& run : all) print_run(*globals.console, run);
    tell_of_more(globals, more);
    return {};
  });
}

int show_run(const Globals& globals, const AgentWords& words) {
  return with_runs(globals, [&](const AgentRuns& runs) -> Status {
    WEFT_TRY(const AgentRun run, runs.show(words.run));
    WEFT_TRY(const auto events, runs.events(words.run, words.since));
    for (const BusEvent& event : events) {
      const std::string text = globals.json ? to_json(event) : told_event(event, globals.console->colours());
      if (!text.empty()) globals.console->line(text);
    }
    if (globals.json)
      globals.console->line("{\"run\":" + to_json(run) + "}");
    else
      print_run(*globals.console, run);
    return {};
  });
}

int fork_run(const Globals& globals, const AgentWords& words) {
  return with_runs(globals, [&](const AgentRuns& runs) -> Status {
    WEFT_TRY(const AgentRun run, runs.fork(words.run, static_cast<std::uint64_t>(words.at)));
    if (globals.json)
      globals.console->line("{\"run\":" + to_json(run) + "}");
    else
      print_run(*globals.console, run);
    return {};
  });
}

// What is done to a run, and then it is followed.
int go_on(const Globals& globals, const AgentWords& words,
          const std::function<Status(const AgentRuns& runs, const AgentRun& before)>& first) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(globals, engine);
    const AgentRuns runs = engine.agents(request);
    WEFT_TRY(const AgentRun before, runs.show(words.run));
    WEFT_CHECK(first(runs, before));
    return follow(globals, runs, words.run, before.events);
  });
}

Status resume_unless_busy(const AgentRuns& runs, const std::string& run) {
  const auto resumed = runs.resume(run);
  return resumed.ok() || resumed.error().code == ErrorCode::kConflict ? Status() : Status(resumed.error());
}

int resume_run(const Globals& globals, const AgentWords& words) {
  return go_on(globals, words, [&](const AgentRuns& runs, const AgentRun&) -> Status {
    WEFT_TRY(const AgentRun run, runs.resume(words.run));
    (void)run;
    return {};
  });
}

int say_to_run(const Globals& globals, const AgentWords& words) {
  return go_on(globals, words, [&](const AgentRuns& runs, const AgentRun&) -> Status {
    WEFT_TRY(const AgentRun run, runs.say(words.run, words.text));
    (void)run;
    return {};
  });
}

int answer_run(const Globals& globals, const AgentWords& words) {
  return go_on(globals, words, [&](const AgentRuns& runs, const AgentRun&) -> Status {
    WEFT_TRY(const AgentRun run, runs.answer(words.run, {words.question, words.text, words.arguments}));
    return run.status == "ended" ? Status() : resume_unless_busy(runs, words.run);
  });
}

}  // namespace

void add_agents(CommandLine& line) {
  auto words = std::make_shared<AgentWords>();
  auto* agents = line.app().add_subcommand("agent", "runs of an agent: a task worked on with tools, step by step");
  agents->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, int (*run)(const Globals&, const AgentWords&)) {
    auto* sub = agents->add_subcommand(name, text);
    line.on(sub, Place::kWorkspace, [words, run](const Globals& globals) { return run(globals, *words); });
    return sub;
  };
  const auto of_run = [&](CLI::App* sub) {
    sub->add_option("run", words->run, "its id")->required();
    return sub;
  };
  auto* run = add("run", "start one and follow it; Ctrl-C interrupts it, twice stops it", run_agent);
  run->add_option("task", words->text, "what is to be done")->required();
  run->add_option("--type", words->type, "of the task; chooses the model and preferences");
  run->add_option("--model", words->model, "role of the model, as under [roles]");
  run->add_option("--tools", words->tools, "JSON file: {\"names\":[…],\"permissions\":[…],\"commands\":[…]}");
  run->add_option("--verify", words->verify, "command line that says by its exit code whether the task is done");
  run->add_option("--tool-calls", words->tool_calls, "it may make");
  run->add_option("--seconds", words->seconds, "it may work");
  run->add_option("--tokens", words->tokens, "it may use");
  run->add_flag("--no-learning", words->no_learning, "learn nothing from it, also when it goes on later");
  of_run(add("resume", "go on with one that was interrupted or killed", resume_run));
  add("list", "runs, the newest first", list_runs)
      ->add_option("--limit", words->limit, kLimitHelp)
      ->check(CLI::NonNegativeNumber);
  of_run(add("show", "what happened in one", show_run))
      ->add_option("--since", words->since, "events behind this number");
  of_run(add("fork", "a new run with the events of one up to a number", fork_run))
      ->add_option("--at", words->at, "number of an event")
      ->required();
  auto* answer = of_run(add("answer", "answer a question of one, and follow it", answer_run));
  answer->add_option("text", words->text, "the answer")->required();
  answer->add_option("--question", words->question, "its id, where several are open");
  answer->add_option("--arguments", words->arguments, "of an approval: JSON in the place of those that were shown");
  auto* say = of_run(add("say", "say something to one, and follow it", say_to_run));
  say->add_option("text", words->text, "what")->required();
}

// weft agent export: what was learnt, as files that other agents read.

namespace {

namespace fs = std::filesystem;

struct AgentFileOptions {
  std::string folder = ".";
  std::vector<std::string> files, skills;
  bool write = false, undo = false, everybody = false;
};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Whether a file takes another one in, as Claude Code reads it.
bool takes_in(const fs::path& file, std::string_view other) {
  const auto text = read_file(file);
  if (!text.ok()) return false;
  for (const std::string_view line : lines_of(*text))
    if (trimmed(line) == "@" + std::string(other) || trimmed(line) == "@./" + std::string(other)) return true;
  return false;
}

// The files that are there; without any AGENTS.md, which most agents read.
std::vector<fs::path> usual_files(const fs::path& folder) {
  const fs::path agents = folder / "AGENTS.md", claude = folder / "CLAUDE.md";
  std::vector<fs::path> files;
  if (is_there(agents) || !is_there(claude)) files.push_back(agents);
  if (is_there(claude) && !(is_there(agents) && takes_in(claude, "AGENTS.md"))) files.push_back(claude);
  return files;
}

std::vector<fs::path> usual_skill_folders(const fs::path& folder) {
  std::vector<fs::path> folders;
  if (is_there(folder / ".claude") || is_there(folder / "CLAUDE.md")) folders.push_back(folder / ".claude" / "skills");
  if (is_there(folder / ".agents") || is_there(folder / "AGENTS.md") || folders.empty())
    folders.push_back(folder / ".agents" / "skills");
  return folders;
}

AgentFilePlaces places_of(const Globals& globals, const AgentFileOptions& options) {
  AgentFilePlaces places;
  places.folder = globals.console->path(options.folder);
  for (const std::string& file : options.files) places.rule_files.push_back(places.folder / file);
  for (const std::string& skills : options.skills) places.skill_folders.push_back(places.folder / skills);
  if (options.files.empty() && options.skills.empty()) {
    places.rule_files = usual_files(places.folder);
    places.skill_folders = usual_skill_folders(places.folder);
  }
  return places;
}

Result<AgentFileChanges> planned(const Growth& growth, const AgentFiles& files, const AgentFilePlaces& places,
                                 bool everybody) {
  WEFT_TRY(auto rules, growth.rules());
  WEFT_TRY(auto skills, growth.skills());
  // A file of a project is read by all who have it.
  if (everybody) {
    std::erase_if(rules, [](const Rule& rule) { return rule.owner != kWorkspaceOwner; });
    std::erase_if(skills, [](const Skill& skill) { return skill.owner != kWorkspaceOwner; });
  }
  return files.plan(places, rules, skills);
}

void tell(const Globals& globals, const AgentFileChanges& changes, bool written) {
  Console& out = *globals.console;
  if (globals.json) {
    JsonWriter json;
    json.begin('{');
    json.name("written");
    json.flag(written);
    json.name("files");
    json.begin('[');
    for (const FileChange& file : changes.files) json.text(file.path);
    json.end(']');
    json.name("notes");
    JsonForm<std::vector<std::string>>::write(changes.notes, json);
    json.name("diff");
    json.text(show_changes(changes));
    json.end('}');
    return out.line(json.take());
  }
  out.write(show_changes(changes));
  for (const std::string& note : changes.notes) out.print("! %s\n", note.c_str());
  if (changes.files.empty())
    out.line("nothing to change");
  else if (!written)
    out.line("nothing is written yet: --write does it, and --undo takes it back");
  else
    out.line(changes.undoes != 0 ? "taken back, but for what others changed" : "written; --undo takes it back");
}

Status run_export(const Growth& growth, const Globals& globals, const RequestContext& request,
                  const AgentFileOptions& options) {
  const AgentFilePlaces places = places_of(globals, options);
  if (!is_there(places.folder)) return not_found("export: there is no folder " + places.folder.string());
  const SystemClock clock;
  WEFT_TRY(auto files, AgentFiles::open(disk(), agent_files_log(globals.workspace, request.scope.key()), clock));
  WEFT_TRY(const auto changes,
           options.undo ? files.plan_undo(places.folder) : planned(growth, files, places, options.everybody));
  const bool write = options.undo || (options.write && !changes.files.empty());
  if (write) WEFT_CHECK(files.write(changes));
  tell(globals, changes, write);
  return {};
}

}  // namespace

void add_agent_files(CommandLine& line) {
  auto asked = std::make_shared<AgentFileOptions>();
  auto* exporting = line.app().get_subcommand("agent")->add_subcommand(
      "export",
      "show, and with --write write, what was learnt as files that other agents read: a section of AGENTS.md "
      "and CLAUDE.md, and skills as SKILL.md");
  exporting->add_option("folder", asked->folder, "of the project")->capture_default_str();
  exporting
      ->add_option("--file", asked->files,
                   "that gets the rules, in the folder; may be repeated; default: AGENTS.md and CLAUDE.md where "
                   "they are there, else AGENTS.md")
      ->allow_extra_args(false);
  exporting
      ->add_option("--skills", asked->skills,
                   "folder for skills, in the folder; may be repeated; default: .claude/skills and .agents/skills, by "
                   "the files of rules")
      ->allow_extra_args(false);
  exporting->add_flag("--everybody", asked->everybody,
                      "only what all users of the workspace may be told, nothing of your own");
  auto* writing = exporting->add_flag("--write", asked->write, "write it; without this it is only shown");
  exporting->add_flag("--undo", asked->undo, "take the newest writing to this folder back; what others changed stays")
      ->excludes(writing);
  line.on(exporting, Place::kWorkspace, [asked](const Globals& globals) {
    return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
      return run_export(engine.growth(request), globals, request, *asked);
    });
  });
}

}  // namespace weft::cli

namespace weft {

// weft research: finding something out, followed as it goes.

template <>
inline constexpr std::string_view kListName<ResearchReport> = "reports";

namespace cli {
namespace {

struct ResearchWords {
  std::string question, id, kind = "topic", out;
  std::vector<std::string> sources;
  std::int64_t tool_calls = 0, limit = 20;
  bool deep = false, without_model = false, no_learning = false;
};

// A line of the list of researches.
void print_line(Console& console, const ResearchReport& report) {
  console.print("%s  %s  %s  %s\n", report.id.c_str(), std::string(to_string(report.kind)).c_str(),
                report.status.c_str(), report.question.c_str());
}

Status give(const Globals& globals, const ResearchWords& words, const ResearchReport& report) {
  if (!words.out.empty()) {
    WEFT_CHECK(write_file(globals.console->path(words.out), report.markdown, true));
    if (!globals.json) globals.console->line("report in " + words.out);
  }
  if (globals.json)
    globals.console->line("{\"report\":" + to_json(report) + "}");
  else if (words.out.empty())
    globals.console->line("\n" + (report.markdown.empty() ? report.question + ": " + report.status : report.markdown));
  if (report.status == "failed") return unavailable("the research failed: " + report.failure);
  return {};
}

// Shows the steps until there is a report. Who leaves stops it; `resume` goes on.
Status follow_research(const Globals& globals, const ResearchWords& words, const Research& research,
                       const std::string& id) {
  Console& console = *globals.console;
  std::uint64_t since = 0;
  for (;;) {
    WEFT_TRY(const auto events, research.events(id, since, kLook));
    for (const BusEvent& event : events) {
      since = event.id;
      if (event.type == BusEventType::kAgentOutput) continue;  // the report says it
      const std::string text = globals.json ? to_json(event) : told_event(event, console.colours());
      if (!text.empty()) console.line(text);
    }
    if (console.cancelled().stop_requested()) {
      (void)research.stop(id);
      return cancelled("nobody waits for this command any more", "`weft research resume " + id + "` goes on");
    }
    if (!events.empty()) continue;
    WEFT_TRY(const ResearchReport now, research.show(id));
    if (now.status == "running") {
      if (since == 0) std::this_thread::sleep_for(kLook);  // its stream is not there yet
      continue;
    }
    return give(globals, words, now);
  }
}

Result<ResearchTask> research_task_of(const Globals& globals, const ResearchWords& words) {
  ResearchTask task;
  task.question = words.question;
  const auto kind = enum_of<ResearchKind>(words.deep ? "deep" : words.kind);
  if (!kind)
    return invalid_argument("--kind: \"" + words.kind + "\" is none", "use one of: fact, topic, repository, deep");
  task.kind = *kind;
  for (const std::string& one : words.sources)
    task.folders.push_back(std::filesystem::path(globals.console->path(one)).lexically_normal().string());
  task.tool_calls = words.tool_calls;
  task.without_model = words.without_model;
  task.learn = !words.no_learning;
  return task;
}

int run(const Globals& globals, const ResearchWords& words) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    if (words.question.empty()) return invalid_argument("there is no question", "weft research \"what is …?\"");
    wait_for_models(globals, engine);
    WEFT_TRY(const ResearchTask task, research_task_of(globals, words));
    const Research research = Research(engine.agents(request));
    WEFT_TRY(const ResearchReport report, research.start(task));
    if (!globals.json) globals.console->line("research " + report.id);
    WEFT_CHECK(follow_research(globals, words, research, report.id));
    return drain(globals, engine, std::chrono::seconds(20));
  });
}

int resume(const Globals& globals, const ResearchWords& words) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(globals, engine);
    const Research research = Research(engine.agents(request));
    WEFT_TRY(const ResearchReport report, research.resume(words.id));
    return follow_research(globals, words, research, report.id);
  });
}

int list(const Globals& globals, const ResearchWords& words) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(auto all, Research(engine.agents(request)).list(asked_for(words.limit)));
    const bool more = cut_list(all, words.limit);
    for (ResearchReport& one : all) one.markdown.clear();
    if (globals.json) return globals.console->line(cut_list_json(all, more)), Status();
    if (all.empty()) globals.console->line("no researches");
    for (const ResearchReport& one : all) print_line(*globals.console, one);
    tell_of_more(globals, more);
    return {};
  });
}

int show(const Globals& globals, const ResearchWords& words) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const ResearchReport report, Research(engine.agents(request)).show(words.id));
    return give(globals, words, report);
  });
}

}  // namespace

void add_research(CommandLine& line) {
  auto words = std::make_shared<ResearchWords>();
  auto* all = line.app().add_subcommand("research", "find something out, with citations");
  all->require_subcommand(0, 1);
  line.on(all, Place::kWorkspace, [words](const Globals& globals) { return run(globals, *words); });
  all->add_option("question", words->question, "what is to be found out");
  all->add_option("--kind", words->kind, "fact, topic, repository or deep");
  all->add_flag("--deep", words->deep, "as --kind deep: several researchers and a critic");
  all->add_option("--sources", words->sources, "folders of files that are sources");
  all->add_option("--tool-calls", words->tool_calls, "fewer calls than the kind may make");
  all->add_flag("--without-model", words->without_model, "by rules alone, also where there is a model");
  all->add_flag("--no-learning", words->no_learning, "keep and remember it, and learn nothing from it");
  const auto add_out = [&](CLI::App* sub) {
    sub->add_option("--out", words->out, "write the report there, as Markdown");
  };
  add_out(all);
  auto* listing = all->add_subcommand("list", "researches, the newest first");
  listing->add_option("--limit", words->limit, kLimitHelp)->check(CLI::NonNegativeNumber);
  line.on(listing, Place::kWorkspace, [words](const Globals& globals) { return list(globals, *words); });
  const auto add_one = [&](const char* name, const char* text, int (*work)(const Globals&, const ResearchWords&)) {
    auto* sub = all->add_subcommand(name, text);
    sub->add_option("id", words->id, "its id")->required();
    add_out(sub);
    line.on(sub, Place::kWorkspace, [words, work](const Globals& globals) { return work(globals, *words); });
  };
  add_one("show", "the report of one", show);
  add_one("resume", "go on with one that was stopped or killed", resume);
}

}  // namespace cli
}  // namespace weft
