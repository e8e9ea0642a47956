// Working a research off, on a thread of its own or as a tool of a run.
#include <algorithm>

#include "agent/function_tool.h"
#include "agent/permissions.h"
#include "agent/research.h"
#include "agent/research_folders.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "engine/job_id.h"
#include "engine/mcp_servers.h"
#include "engine/research_learning.h"
#include "engine/researches.h"
#include "engine/run_learning.h"
#include "engine/serving_likeness.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLikenessTime{5000}, kBeforeCallEnds{2000};
constexpr std::chrono::seconds kLongestCall{900};

struct ToolArguments {
  std::string question;
  ResearchKind kind = ResearchKind::kFact;
};

}  // namespace

WEFT_DESCRIBED(ToolArguments);

template <>
const Record<ToolArguments>& record<ToolArguments>() {
  static const auto made = Record<ToolArguments>("ResearchArguments", "", RecordUse::kAsked)
                               .field("question", &ToolArguments::question, "", {.required = true})
                               .field("kind", &ToolArguments::kind, "");
  return made;
}

Result<ResearchTools> Researches::tools_of(const ResearchTask& task, const ResearchSettings& set) {
  ResearchTools tools;
  tools.memory = research_memory_tool(services_);
  const auto folders = set.folders_of(task);
  WEFT_TRY(const auto opened, SourceFolders::open(folders));
  if (!folders.empty()) {
    const auto likeness = std::make_shared<ServingLikeness>(core_, kLikenessTime);
    for (auto& tool : folder_tools(opened, likeness)) {
      const std::string& name = tool->info().name;
      (name == kFolderSearch ? tools.folders : name == kFolderList ? tools.list : tools.read_file) = std::move(tool);
    }
  }
  if (set.search_tools.empty() && set.read_tools.empty()) return tools;
  ToolRegistry registry;
  WEFT_CHECK(mcp_.add_tools(registry));
  Permissions permissions;
  WEFT_CHECK(permissions.add(core_.config.agent.permissions));
  for (const ToolInfo& info : registry.infos()) {
    // Nobody is there to be asked.
    if (permissions.of(info.name) != Permission::kAllow) continue;
    if (fits_any(set.search_tools, info.name)) tools.search.push_back(registry.share(info.name));
    if (fits_any(set.read_tools, info.name)) tools.read.push_back(registry.share(info.name));
  }
  return tools;
}

Status Researches::work(const RequestContext& request, const std::string& id, const Deadline& deadline) {
  WEFT_TRY(const ResearchTask task, read_task(request, id));
  WEFT_TRY(ResearchReport report, read(request, id));
  report.status = "running";
  const fs::path folder = folder_of(ScopeKey(report.owner), id);
  WEFT_TRY(const auto bus, bus_of(folder / (std::string(kStream) + ".jsonl"), true));
  if (bus->last() == 0) {
    RunStarted start;
    start.task = task.question;
    start.type = "research";
    start.owner = report.owner;
    start.limits.tool_calls = report.tool_calls_most;
    start.learn = task.learn;
    WEFT_TRY(const BusEvent first, bus->emit(BusEventType::kRunStarted, to_json(start)));
    (void)first;
  }
  const ServingLikeness likeness(core_, kLikenessTime);
  WEFT_TRY(const ResearchSettings set, settings());
  WEFT_TRY(auto tools, tools_of(task, set));
  std::mutex streams_mutex;
  std::vector<std::shared_ptr<Bus>> streams{bus};
  const ResearchParts parts{std::move(tools),
                            task.without_model ? nullptr : core_.models->chat("main"),
                            task.without_model ? nullptr : core_.models->chat("fast"),
                            likeness,
                            threads_,
                            request,
                            deadline,
                            std::chrono::seconds(set.call_seconds),
                            std::chrono::seconds(set.model_seconds),
                            set.researchers,
                            [&](const std::string& own) -> Result<std::shared_ptr<Bus>> {
                              WEFT_TRY(auto opened, bus_of(folder / (own + ".jsonl"), true));
                              const std::lock_guard lock(streams_mutex);
                              streams.push_back(opened);
                              report.researchers.push_back(own);
                              return opened;
                            }};
  report.researchers.clear();
  ResearchStream stream(id, *bus, parts, report.tool_calls_most);
  auto made = run_research(stream, report);
  if (!made.ok() && deadline.cancelled()) return made.error();
  if (made.ok()) {
    made->researchers = report.researchers;
    std::vector<BusEvent> events;
    for (const auto& one : streams)
      for (BusEvent& event : one->since(0)) events.push_back(std::move(event));
    const bool learns = set.learn && task.learn && RunLearning(core_.config.workspace).from(request.scope.key());
    learn_from_research(services_, request, core_.clock->now(), {learns, set.ask}, events, *made);
    report = std::move(*made);
  }
  report.status = made.ok() ? "ended" : "failed";
  if (!made.ok()) report.failure = made.error().message;
  report.ended = core_.clock->now();
  WEFT_CHECK(write(request, report));
  AgentOutput output{report.summary, report.failure, made.ok() ? Outcome::kUnknown : Outcome::kFailure, bus->last()};
  return stream.emit(BusEventType::kAgentOutput, to_json(output));
}

Result<ToolOutcome> Researches::run_tool(const ToolRequest& call, bool learn) {
  WEFT_TRY(const auto what, parse_record<ToolArguments>(call.arguments, "the arguments"));
  const std::string id = call.run + "-" + call.call;
  if (!is_job_id(id)) return invalid_argument("a research cannot be named after the call " + id);
  RequestContext own = call.request;
  own.deadline.reset();
  own.cancel = {};
  auto known = read(own, id);
  if (!known.ok()) {
    ResearchTask task;
    task.question = what.question;
    task.kind = what.kind;
    task.learn = learn;
    WEFT_TRY(known, begin(own, id, task));
  }
  if (known->status != "ended") {
    WEFT_TRY(const auto active, take(own.scope.key(), id));
    const Status done = [&] {
      const AtEnd over([&active] { active->done = true; });
      const std::stop_callback with_run(call.deadline.cancel(), [&active] { active->stop.request_stop(); });
      const auto left = std::max(call.deadline.left(kLongestCall) - kBeforeCallEnds, std::chrono::milliseconds(1));
      return work(own, id, Deadline(std::nullopt, active->stop.get_token()).within(left));
    }();
    WEFT_CHECK(done);
    WEFT_TRY(known, read(own, id));
  }
  std::string text = known->summary;
  for (const ResearchSource& one : known->sources)
    text += "\n[" + std::to_string(one.number) + "] " + one.origin + (one.date.empty() ? "" : ", " + one.date);
  text += "\nresearch " + id + ": " + std::to_string(known->claims.size()) + " claims" +
          (known->limit.empty() ? "" : ", ended by its limit of " + known->limit);
  return ToolOutcome{text, known->status != "ended", Provenance::kWeb};
}

Status Researches::add_tool(const RunState& state, ToolRegistry& into) {
  constexpr const char* kName = "research";
  const auto& wanted = state.start.tools.names;
  if (!wanted.empty() && !fits_any(wanted, kName)) return {};
  return into.add(make_tool(
      {kName,
       "Finds something out from memory, files and the web, with citations: says what independent sources confirm and "
       "what is disputed.",
       ToolParameters()
           .text("question", "in words, with all that must be known to understand it")
           .choice("kind", "fact: is one thing so; topic: a matter from several sides; deep: with several researchers",
                   {"fact", "topic", "deep"})
           .optional()},
      ToolEffects::kKeyed,
      [this, learn = state.start.learn](const ToolRequest& request) { return run_tool(request, learn); }));
}

}  // namespace weft
