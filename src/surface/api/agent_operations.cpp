// Runs of agents, and researches.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "agent/research.h"
#include "agent/research_stream.h"
#include "agent/run_state.h"
#include "model/growth_records.h"
#include "surface/api/bodies.h"
#include "surface/api/operation.h"
#include "weft/agent.h"
#include "weft/facets/research.h"

namespace weft {
namespace {

/// Parameters of what lists the events of a stream, beside those of every list.
inline std::vector<Parameter> event_parameters() {
  return {number_parameter("since", "events behind this number", 0),
          number_parameter("wait_ms", "wait for the next one, 25000 at most", 0)};
}

/// A page of events: those that `events_behind(number, wait)` gives. A page goes on behind its last event; whoever
/// waits for what comes then says ?since=, and keeps nobody from being answered meanwhile.
template <class EventsBehind>
Result<Paged<List<BusEvent>>> page_of_events(const Call& call, const PageWanted& wanted, EventsBehind events_behind) {
  constexpr std::int64_t kLongestWait = 25'000;  // ms
  WEFT_TRY(const auto since, call.number("since", 0));
  WEFT_TRY(const auto wait, call.number("wait_ms", 0));
  WEFT_TRY(const auto after, wanted.number());
  Result<std::vector<BusEvent>> events = std::vector<BusEvent>();
  call.out.while_waiting([&] {
    events = events_behind(static_cast<std::uint64_t>(std::max(since, after)),
                           std::chrono::milliseconds(std::min(wait, kLongestWait)));
  });
  if (!events.ok()) return events.error();
  return first_page(std::move(events).value(), wanted, [](const BusEvent& last) { return std::to_string(last.id); });
}

struct SayBody {
  std::string text;
};
struct WhyBody {
  std::string why;
};
struct ForkBody {
  std::int64_t at = 0;
};

}  // namespace

WEFT_DESCRIBED(SayBody);
WEFT_DESCRIBED(WhyBody);
WEFT_DESCRIBED(ForkBody);

template <>
const Record<SayBody>& record<SayBody>() {
  static const auto made = Record<SayBody>("TaskMessage", "What is said to a run.", RecordUse::kAsked)
                               .field("text", &SayBody::text, "in words", {.required = true});
  return made;
}

template <>
const Record<WhyBody>& record<WhyBody>() {
  static const auto made = Record<WhyBody>("TaskInterrupt", "Why a run is stopped.", RecordUse::kAsked)
                               .field("why", &WhyBody::why, "in words");
  return made;
}

template <>
const Record<ForkBody>& record<ForkBody>() {
  static const auto made = Record<ForkBody>("TaskFork", "Where a run is forked.", RecordUse::kAsked)
                               .field("at", &ForkBody::at, "number of an event", {.required = true, .least = 2});
  return made;
}

namespace {

AgentRuns runs(const Call& call) { return call.engine.agents(call.context); }

// Who may speak to the server may not thereby run programs on its machine.
Result<AgentRun> start_task(const Call& call, AgentTask task) {
  if (!task.tools.commands.empty() && !call.engine.config().agent.shell)
    return permission("tools.commands: this server runs no programs for agents", "set agent.shell to allow it");
  return runs(call).start(task);
}

Result<Paged<List<AgentRun>>> list_tasks(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(auto all, runs(call).list(wanted.limit + 1, wanted.after));
  return first_page(std::move(all), wanted, [](const AgentRun& last) { return last.id; });
}

Result<AgentRun> show_task(const Call& call) { return runs(call).show(call.path("id")); }
Result<AgentRun> resume_task(const Call& call) { return runs(call).resume(call.path("id")); }

Result<Paged<List<BusEvent>>> task_events(const Call& call, const PageWanted& wanted) {
  return page_of_events(call, wanted, [&](std::uint64_t since, std::chrono::milliseconds wait) {
    return runs(call).events(call.path("id"), since, wait);
  });
}

Result<AgentRun> say_to_task(const Call& call, SayBody body) { return runs(call).say(call.path("id"), body.text); }
Result<AgentRun> answer_task(const Call& call, AgentAnswer body) { return runs(call).answer(call.path("id"), body); }
Result<AgentRun> interrupt_task(const Call& call, WhyBody body) {
  return runs(call).interrupt(call.path("id"), body.why);
}
Result<AgentRun> fork_task(const Call& call, ForkBody body) {
  return runs(call).fork(call.path("id"), static_cast<std::uint64_t>(body.at));
}

}  // namespace

std::vector<Operation> agent_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      operation("start_task", "POST /v1/tasks", "start a run of an agent", kScope, start_task),
      list_operation("tasks", "GET /v1/tasks", "runs of agents, the newest first", kScope, list_tasks),
      operation("task_run", "GET /v1/tasks/{id}", "a run as it stands", kScope, show_task),
      list_operation("task_events", "GET /v1/tasks/{id}/events", "what happened in it", kScope, task_events,
                     event_parameters(), kWholePage),
      operation("say_to_task", "POST /v1/tasks/{id}/messages", "say something to it", kScope, say_to_task),
      operation("answer_task", "POST /v1/tasks/{id}/answers", "answer a question of it", kScope, answer_task),
      operation("interrupt_task", "POST /v1/tasks/{id}/interrupt", "stop it, so that it can be resumed", kScope,
                interrupt_task),
      operation("resume_task", "POST /v1/tasks/{id}/resume", "go on with it", kScope, resume_task),
      operation("fork_task", "POST /v1/tasks/{id}/fork", "a new run with its events up to one", kScope, fork_task),
  };
}

// Researches: jobs, their events and their reports.

template <>
inline constexpr std::string_view kListName<ResearchReport> = "reports";

namespace {

namespace fs = std::filesystem;

Research facet(const Call& call) { return Research(call.engine.agents(call.context)); }

bool lies_below(const fs::path& path, const fs::path& root) {
  const auto [at, end] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  (void)end;
  return at == root.end();
}

// Who may speak to the server may not thereby read its machine's files.
Status check_folders(const Call& call, const ResearchTask& task) {
  std::vector<fs::path> roots;
  std::error_code ignored;
  WEFT_TRY(const ResearchSettings set, read_research_settings(call.engine.config().workspace));
  for (const std::string& one : set.folders) roots.push_back(fs::weakly_canonical(fs::path(one), ignored));
  for (const std::string& folder : task.folders) {
    const fs::path path = fs::weakly_canonical(fs::path(folder), ignored);
    const bool fine =
        std::any_of(roots.begin(), roots.end(), [&](const fs::path& root) { return lies_below(path, root); });
    if (!fine)
      return permission("folders: \"" + folder.substr(0, 200) + "\" does not lie below a folder of research.json",
                        "add its folder to its \"folders\", or use `weft research --sources`");
  }
  return {};
}

Result<ResearchReport> start_research(const Call& call, ResearchTask task) {
  WEFT_CHECK(check_folders(call, task));
  return facet(call).start(task);
}

Result<Paged<List<ResearchReport>>> list_research(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(auto all, facet(call).list(wanted.limit + 1, wanted.after));
  for (ResearchReport& one : all) one.markdown.clear();  // one report at a time is long enough
  return first_page(std::move(all), wanted, [](const ResearchReport& last) { return last.id; });
}

Result<ResearchReport> show_research(const Call& call) { return facet(call).show(call.path("id")); }
Result<ResearchReport> resume_research(const Call& call) { return facet(call).resume(call.path("id")); }
Result<ResearchReport> stop_research(const Call& call) { return facet(call).stop(call.path("id")); }

Result<Paged<List<BusEvent>>> research_events(const Call& call, const PageWanted& wanted) {
  return page_of_events(call, wanted, [&](std::uint64_t since, std::chrono::milliseconds wait) {
    return facet(call).events(call.path("id"), since, wait);
  });
}

}  // namespace

std::vector<Operation> research_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      operation("start_research", "POST /v1/research", "begin to find something out", kScope, start_research),
      list_operation("researches", "GET /v1/research", "researches, the newest first", kScope, list_research),
      operation("research", "GET /v1/research/{id}", "the report of one as it stands", kScope, show_research),
      list_operation("research_events", "GET /v1/research/{id}/events",
                     "what happened in it, or in a researcher's stream", kScope, research_events, event_parameters(),
                     kWholePage),
      operation("stop_research", "POST /v1/research/{id}/stop", "stop it, so that it can be resumed", kScope,
                stop_research),
      operation("resume_research", "POST /v1/research/{id}/resume", "go on with it", kScope, resume_research),
  };
}

}  // namespace weft
