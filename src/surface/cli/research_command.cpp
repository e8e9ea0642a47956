// weft research: finding something out, followed as it goes.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <thread>

#include "agent/research_records.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"
#include "surface/api/lists.h"
#include "surface/cli/agent_view.h"
#include "surface/cli/command_line.h"
#include "surface/cli/cut_list.h"
#include "weft/facets/research.h"

namespace weft {

template <>
inline constexpr std::string_view kListName<ResearchReport> = "reports";

namespace cli {
namespace {

constexpr std::chrono::milliseconds kLook{150};

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
Status follow(const Globals& globals, const ResearchWords& words, const Research& research, const std::string& id) {
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

Result<ResearchTask> task_of(const Globals& globals, const ResearchWords& words) {
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
    WEFT_TRY(const ResearchTask task, task_of(globals, words));
    const Research research = Research(engine.agents(request));
    WEFT_TRY(const ResearchReport report, research.start(task));
    if (!globals.json) globals.console->line("research " + report.id);
    WEFT_CHECK(follow(globals, words, research, report.id));
    return drain(globals, engine, std::chrono::seconds(20));
  });
}

int resume(const Globals& globals, const ResearchWords& words) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(globals, engine);
    const Research research = Research(engine.agents(request));
    WEFT_TRY(const ResearchReport report, research.resume(words.id));
    return follow(globals, words, research, report.id);
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
