// Runs of agents.
#include <algorithm>

#include "agent/run_events.h"
#include "surface/api/bodies.h"
#include "surface/api/event_pages.h"
#include "surface/api/list_operation.h"

namespace weft {
namespace {

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

}  // namespace weft
