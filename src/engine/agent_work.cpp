// Work of runs: on a thread of their own, as sub-agents, and what a kill left of their ends.
#include "agent/agent_context.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "engine/agents.h"
#include "engine/answers.h"
#include "engine/engine_core.h"
#include "engine/prompts.h"
#include "engine/scope_request.h"
#include "engine/services.h"
#include "engine/session_compactions.h"
#include "engine/streams.h"
#include "engine/tasks.h"
#include "ports/chat/chat_model.h"
#include "text/record.h"

namespace weft {
namespace {

// Prompts of a run from Weft's own context engine: the run is a session of its scope, its messages go into the stream
// there, and what its prompts hold is woven like those of any conversation. One run uses it.
class SessionContext final : public AgentContext {
 public:
  SessionContext(const Services& services, Prompts& prompts, RequestContext request, std::int64_t output_tokens)
      : services_(services), prompts_(prompts), request_(std::move(request)), output_tokens_(output_tokens) {}
  Result<AgentPrompt> prompt(const RunState& state, const PromptWish& wish, const Deadline& deadline) override;
  Result<CompactedTo> compact(const RunState& state, std::int64_t window) override;
  Status finish(const RunState& state) override;

 private:
  Status observe(const RunState& state);
  const Services& services_;
  Prompts& prompts_;
  RequestContext request_;
  std::int64_t output_tokens_;
  std::size_t observed_ = 0;  ///< how many of the run's messages the session has
};

constexpr std::int64_t kBytesOfToken = 4;  // of schemas, which are English and JSON

TaskState task_of(const RunState& state) {
  TaskState task;
  task.description = state.start.task;
  task.type = state.start.type;
  task.done = state.progress.done;
  task.current = state.progress.current;
  task.remaining = state.progress.remaining;
  return task;
}

std::int64_t tokens_of(const std::vector<ToolInfo>& tools) {
  std::size_t bytes = 0;
  for (const ToolInfo& tool : tools) bytes += tool.name.size() + tool.description.size() + tool.parameters.size() + 60;
  return static_cast<std::int64_t>(bytes) / kBytesOfToken;
}

// Known messages are recognised by their ids, so a run that goes on may bring them again.
Status SessionContext::observe(const RunState& state) {
  const auto told = state.told();
  if (observed_ >= told.size()) return {};
  WEFT_TRY(const auto report,
           services_.streams->observe(request_, SessionId(state.run), std::span(told).subspan(observed_)));
  (void)report;
  observed_ = told.size();
  return {};
}

Result<AgentPrompt> SessionContext::prompt(const RunState& state, const PromptWish& wish, const Deadline& deadline) {
  WEFT_CHECK(observe(state));
  RequestContext request = request_;
  request.deadline = deadline.until();
  request.cancel = deadline.cancel();
  ContextRequest what;
  what.system = wish.system;
  what.window = wish.window;
  what.model = wish.model;
  what.output_tokens = output_tokens_;
  what.other_tokens = tokens_of(wish.tools);
  what.task = task_of(state);
  what.errors = state.notes;
  what.tools = wish.tools;
  what.describe_tools = false;
  // The run has its own snapshot of what was learnt.
  WEFT_TRY(WovenContext woven, prompts_.weave(request, SessionId(state.run), what, PromptUse{false, wish.offered}));
  return AgentPrompt{std::move(woven.messages), std::move(woven.tools), woven.report.tokens, woven.report.compaction};
}

Result<CompactedTo> SessionContext::compact(const RunState& state, std::int64_t window) {
  WEFT_CHECK(observe(state));
  WEFT_TRY(const Compaction made,
           services_.compactions->compact(request_, SessionId(state.run), {state.start.task, window}));
  return CompactedTo{made.id, made.report.tokens_before, made.report.tokens_after};
}

Status SessionContext::finish(const RunState& state) {
  WEFT_CHECK(observe(state));
  const SessionId session(state.run);
  WEFT_TRY(const bool ended, services_.tasks->end_task(request_, session));
  WEFT_TRY(const auto saved, services_.streams->save(request_, session));
  (void)ended, (void)saved;
  return {};
}

struct SpawnArguments {
  std::string task, type;
};

}  // namespace

WEFT_DESCRIBED(SpawnArguments);

template <>
const Record<SpawnArguments>& record<SpawnArguments>() {
  static const auto made = Record<SpawnArguments>("SpawnArguments", "", RecordUse::kAsked)
                               .field("task", &SpawnArguments::task, "", {.required = true})
                               .field("type", &SpawnArguments::type, "");
  return made;
}

Result<LoopEnd> Agents::work(const RequestContext& request, const std::string& run, Bus& bus, LoopStop& stop) {
  WEFT_TRY(const RunState state, fold(run, bus.since(0)));
  if (state.last == 1) {  // killed before the task was said
    WEFT_TRY(const BusEvent said, bus.emit(BusEventType::kUserMessage, to_json(Said{Message::user(state.start.task)})));
    (void)said;
  }
  // What a kill left between the stream and the queue.
  for (const auto& [id, question] : state.questions)
    if (question.answer) with_.questions.settled(question.asked.question, *question.answer);
  // What follows from an answer that stands asks none.
  NoModel none;
  const auto known = kit_.model_of(state.start.model);
  if (!known.ok() && !state.ended()) return known.error();
  ChatModel* const model = known.ok() ? *known : &none;
  WEFT_TRY(const ToolRegistry tools, kit_.tools_of(state, &bus, this));
  WEFT_TRY(const Permissions permissions, kit_.permissions_of(state.start.tools));
  SessionContext context(services_, with_.prompts, request, core_.config.agent.output_tokens);
  WEFT_TRY(auto verifier, kit_.verifier_of(state));
  const LoopParts parts{bus,
                        context,
                        *model,
                        tools,
                        with_.hooks,
                        with_.questions,
                        streams_.results(),
                        streams_.endings(),
                        kit_.threads(),
                        permissions,
                        *core_.clock,
                        request,
                        system_text_for(state.start.task),
                        core_.window_of(model->window(), model->name()),
                        std::move(verifier)};
  return AgentLoop(run, parts, kit_.loop_settings(), stop).run();
}

void Agents::close_left(std::stop_token stop) {
  for (const std::string& run : streams_.endings().all()) {
    if (stop.stop_requested()) return;
    const auto close = [&]() -> Status {
      const auto bus = streams_.open(run);
      if (!bus.ok()) return streams_.endings().clear(run);
      WEFT_TRY(const RunState state, fold(run, (*bus)->since(0)));
      if (!state.ended()) return streams_.endings().clear(run);  // it was killed before its answer stood
      WEFT_TRY(const RequestContext request, request_of_scope(ScopeKey(state.start.owner)));
      WEFT_TRY(const auto active, active_.take(run, ScopeKey(state.start.owner)));
      const AtEnd done([&active] { active->done = true; });
      const std::stop_callback with_us(stop, [&active] { active->stop.source.request_stop(); });
      const auto worked = guarded("the end of a run", [&] { return work(request, run, **bus, active->stop); });
      return worked.ok() ? Status() : Status(worked.error());
    };
    if (const Status closed = close(); !closed.ok())
      log_warning("agent", "run " + run + ": what follows from its answer waits: " + closed.error().message);
  }
}

// The id of a sub-agent's run follows from the call, so that a call which is made again finds it and goes on with it.
Result<ToolOutcome> Agents::spawn(const RunState& parent, Bus& bus, const ToolRequest& call) {
  WEFT_TRY(const auto what, parse_record<SpawnArguments>(call.arguments, "the arguments"));
  const std::int64_t depth = parent.start.depth + 1;
  if (depth > parent.start.limits.depth) {
    const LimitReached limit{"depth", "sub-agents below sub-agents", parent.start.limits.depth};
    WEFT_TRY(const BusEvent told, bus.emit(BusEventType::kLimitReached, to_json(limit)));
    (void)told;
    return ToolOutcome{"a sub-agent here would be deeper than " + std::to_string(limit.value) + "; do it yourself",
                       true, Provenance::kOwnRun};
  }
  const std::string run = parent.run + "-" + call.call;
  WEFT_TRY(const auto own, streams_.open_or_make(run));
  if (own->last() == 0) {
    RunStarted start{what.task,           what.type,          parent.start.owner, "", parent.run, call.call, "", depth,
                     parent.start.limits, parent.start.tools, parent.start.learn};
    AgentTask asked;
    asked.type = what.type;
    WEFT_TRY(start.model, kit_.role_of(asked));
    WEFT_CHECK(begin_run(*own, start));
  }
  SubAgent sub{run, call.call, what.task, "", ""};
  WEFT_TRY(const BusEvent started, bus.emit(BusEventType::kSubAgentStarted, to_json(sub)));
  (void)started;
  WEFT_TRY(const auto active, active_.take(run, ScopeKey(parent.start.owner)));
  const auto worked = [&] {
    const AtEnd done([&active] { active->done = true; });
    const std::stop_callback with_parent(call.deadline.cancel(), [&active] { active->stop.source.request_stop(); });
    return work(call.request, run, *own, active->stop);
  }();
  if (!worked.ok()) return worked.error();
  const LoopEnd end = *worked;
  if (end == LoopEnd::kStopped) return cancelled("the run was stopped");
  WEFT_TRY(const RunState state, fold(run, own->since(0)));
  sub.outcome = end == LoopEnd::kEnded ? "ended" : "interrupted";
  sub.text = state.output ? state.output->text : state.interrupted ? state.interrupted->why : "";
  WEFT_TRY(const BusEvent ended, bus.emit(BusEventType::kSubAgentEnded, to_json(sub)));
  (void)ended;
  return ToolOutcome{sub.text, end != LoopEnd::kEnded, Provenance::kOwnRun};
}

}  // namespace weft
