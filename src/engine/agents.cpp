#include "engine/agents.h"

#include <algorithm>

#include "agent/loop.h"
#include "base/call_context.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "engine/prompts.h"
#include "engine/questions.h"
#include "engine/reflections.h"
#include "engine/run_streams.h"
#include "engine/services.h"
#include "engine/session_history.h"
#include "engine/streams.h"
#include "engine/tasks.h"
#include "ports/chat/chat_model.h"
#include "ports/files/file_system.h"
#include "text/record.h"

namespace weft {

bool ActiveRun::comes_back(std::chrono::milliseconds patience) const {
  const Deadline until = Deadline::after(patience);
  while (!done && !until.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return done;
}

Result<std::shared_ptr<ActiveRun>> ActiveRuns::take(const std::string& run, const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  if (still_.contains(scope))
    return unavailable("words of " + scope.str() + " are being erased: no run begins meanwhile",
                       "try again in a moment");
  std::size_t busy = 0;
  for (auto one = active_.begin(); one != active_.end();) {
    const bool has_thread = one->second->thread.joinable();
    if (one->second->done) {
      if (has_thread) one->second->thread.join();
      one = active_.erase(one);
      continue;
    }
    busy += has_thread ? 1 : 0;
    ++one;
  }
  if (active_.contains(run)) return conflict("the run " + run + " is at work", "it has one loop at a time");
  if (busy >= static_cast<std::size_t>(settings_.runs))
    return conflict(std::to_string(busy) + " runs are at work, and no more may be", "wait for one, or set agent.runs");
  return active_[run] = std::make_shared<ActiveRun>();
}

Status ActiveRuns::start(ActiveRun& active, std::function<Result<LoopEnd>()> work,
                         std::function<bool(const Result<LoopEnd>&)> over) {
  const std::lock_guard lock(mutex_);
  const Status begun =
      start_thread(active.thread, "a run", [this, &active, work = std::move(work), over = std::move(over)] {
        while (!active.done) {
          const Result<LoopEnd> end = guarded("the run", work);
          const std::lock_guard ending(mutex_);
          bool is_over = true;
          guarded_or_logged("agent", [&] { is_over = over(end); });
          active.done = is_over;
        }
      });
  if (!begun.ok()) active.done = true;
  return begun;
}

bool ActiveRuns::at_work(const std::string& run) {
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(run);
  return found != active_.end() && !found->second->done;
}

std::shared_ptr<ActiveRun> ActiveRuns::interrupt(const std::string& run, const std::string& why) {
  std::shared_ptr<ActiveRun> active;
  {
    const std::lock_guard lock(mutex_);
    const auto found = active_.find(run);
    if (found == active_.end() || found->second->done) return nullptr;
    active = found->second;
    if (!active->stop.interrupt) {
      active->stop.why = why;
      active->stop.interrupt = true;
    }
  }
  active->stop.source.request_stop();
  return active;
}

void ActiveRuns::stop_all() {
  std::map<std::string, std::shared_ptr<ActiveRun>> active;
  {
    const std::lock_guard lock(mutex_);
    active = active_;
  }
  for (auto& [id, one] : active) one->stop.source.request_stop();
  for (auto& [id, one] : active)
    if (one->thread.joinable()) one->thread.join();
}

std::map<std::string, std::shared_ptr<ActiveRun>> ActiveRuns::close(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  still_[scope];
  return active_;
}

void ActiveRuns::keep_still(const ScopeKey& scope, std::vector<std::string> stopped) {
  const std::lock_guard lock(mutex_);
  still_[scope] = std::move(stopped);
}

std::vector<std::string> ActiveRuns::open(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> stopped = std::move(still_[scope]);
  still_.erase(scope);
  return stopped;
}

// Runs of agents: starting, stopping and reading them.

namespace {

constexpr std::chrono::seconds kPatience{5};  // for a run to stop
constexpr std::size_t kByChance = 8;          // digits of an id

constexpr std::chrono::seconds kNoted{5};  // for a run to note what it has asked

}  // namespace

Agents::Agents(EngineCore& core, const Services& services, const Uses& with)
    : core_(core), services_(services), streams_(with.streams), active_(with.active), kit_(with.kit), with_(with) {}

Agents::~Agents() { stop_all(); }

Result<AgentRun> Agents::told(const SeenRun& seen) {
  const RunState& state = seen.state;
  AgentRun run;
  run.id = state.run;
  run.owner = state.start.owner;
  run.task = state.start.task;
  run.type = state.start.type;
  run.parent = state.start.parent;
  run.learn = state.start.learn;
  if (state.output) run.output = state.output->text, run.why = state.output->why, run.outcome = state.output->outcome;
  run.claim = state.claim;
  if (state.interrupted) run.why = state.interrupted->by + ": " + state.interrupted->why;
  if (state.limit) run.limit = state.limit->limit;
  run.started = state.started;
  run.newest = state.newest;
  run.model_calls = state.used.model_calls;
  run.tool_calls = state.used.tool_calls;
  run.tokens = state.used.tokens;
  run.events = state.last;
  const bool waits = streams_.open_questions(state, run.questions);
  const bool active = active_.at_work(state.run);
  run.status = state.ended()       ? "ended"
               : waits             ? "waiting"
               : active            ? "running"
               : state.interrupted ? "interrupted"
                                   : "stopped";
  return run;
}

Result<AgentRun> Agents::start(const RequestContext& request, const AgentTask& task) {
  if (trimmed(task.task).empty()) return invalid_argument("\"task\" is empty", "say in words what is to be done");
  RunStarted start;
  start.task = task.task;
  start.type = task.type;
  start.owner = request.scope.key().str();
  WEFT_TRY(start.model, kit_.role_of(task));
  start.limits = kit_.limits_of(task.limits);
  start.tools = task.tools;
  start.learn = task.learn;
  // What makes no sense is told before there is a run.
  RunState draft;
  draft.start = start;
  const std::string run = new_job_id(core_.clock->now(), kByChance);
  WEFT_TRY(auto bus, streams_.open_or_make(run));
  if (auto tools = kit_.tools_of(draft, bus.get(), this); !tools.ok()) {
    (void)streams_.remove(run);
    return tools.error();
  }
  WEFT_CHECK(begin_run(*bus, start));
  WEFT_TRY(const SeenRun seen, streams_.look(request, run));
  WEFT_CHECK(go_on(request, seen));
  return told(seen);
}

Status Agents::go_on(const RequestContext& request, const SeenRun& seen) {
  const std::string run = seen.state.run;
  RequestContext own = request;  // the run outlives the call that started it
  own.deadline.reset();
  own.cancel = {};
  WEFT_TRY(const auto active, active_.take(run, ScopeKey(seen.state.start.owner)));
  return active_.start(
      *active,
      [this, own, run, bus = seen.bus, active = active.get(), context = CallContext::to_hand_over()] {
        const CallScope call(context);
        const CallScope owner(Account{own.scope.key().str(), context.account.key});
        const TraceParent cause = parse_traceparent(context.cause);
        const TraceSpan span(SpanRelay::of_background().sink(), "weft.agent", std::span(&cause, 1));
        auto end = guarded("the run", [&] { return work(own, run, *bus, active->stop); });
        if (!end.ok()) log_error("agent", "run " + run + ": " + end.error().message);
        return end;
      },
      // What was said while the run was ending found it at work: it goes on here.
      [run, bus = seen.bus](const Result<LoopEnd>& end) {
        const auto state = fold(run, bus->since(0));
        return !end.ok() || *end != LoopEnd::kEnded || !state.ok() || state->ended();
      });
}

Result<AgentRun> Agents::resume(const RequestContext& request, const std::string& run) {
  WEFT_TRY(const SeenRun seen, streams_.look(request, run));
  if (seen.state.ended()) return conflict("the run " + run + " has ended", "say something to it, and it goes on");
  WEFT_CHECK(go_on(request, seen));
  return told(seen);
}

Result<AgentRun> Agents::interrupt(const RequestContext& request, const std::string& run, const std::string& why) {
  WEFT_TRY(const SeenRun seen, streams_.look(request, run));
  const auto active = active_.interrupt(run, why);
  if (!active) return conflict("the run " + run + " is not at work");
  (void)active->comes_back(kPatience);
  return show(request, run);
}

// Who reads an answer may speak before what follows from it is done. Its report is of the task as it was answered, and
// what is said of it needs the report.
void Agents::await_ending(const std::string& run) {
  const Deadline patience = Deadline::after(kPatience);
  while (streams_.endings().has(run) && !patience.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

Result<AgentRun> Agents::say(const RequestContext& request, const std::string& run, const std::string& text) {
  if (trimmed(text).empty()) return invalid_argument("there is nothing to say");
  WEFT_TRY(SeenRun seen, streams_.look(request, run));
  if (seen.state.ended()) await_ending(run);
  WEFT_TRY(const BusEvent event, seen.bus->emit(BusEventType::kUserMessage, to_json(Said{Message::user(text)})));
  (void)event;
  if (seen.state.ended()) with_.reflections.said_after_end(request, run, text);  // it may judge its result
  // A loop that has just ended did not see it.
  if (!active_.at_work(run) || seen.state.ended()) {
    const Status launched = go_on(request, seen);
    if (!launched.ok() && launched.error().code != ErrorCode::kConflict) return launched.error();
  }
  return show(request, run);
}

// The same events in a new stream; outputs that were cut are read there, too.
Result<AgentRun> Agents::fork(const RequestContext& request, const std::string& run, std::uint64_t at) {
  WEFT_TRY(const SeenRun seen, streams_.look(request, run));
  if (at < 2 || at > seen.state.last)
    return invalid_argument(
        "the run has " + std::to_string(seen.state.last) + " events, and cannot be forked at " + std::to_string(at),
        "name one from 2 on");
  const std::string forked = new_job_id(core_.clock->now(), kByChance);
  WEFT_TRY(const auto bus, streams_.open_or_make(forked));
  for (const BusEvent& event : seen.bus->since(0)) {
    if (event.id > at) break;
    std::string payload = event.payload;
    if (event.type == BusEventType::kRunStarted) {
      RunStarted start = seen.state.start;
      start.forked_from = run + "@" + std::to_string(at);
      start.parent.clear(), start.parent_call.clear();
      payload = to_json(start);
    }
    if (event.type == BusEventType::kToolResult) {
      WEFT_TRY(const auto result, payload_of<ToolAnswered>(event));
      if (const auto whole = streams_.results().read(run, result.handle); whole.ok())
        WEFT_CHECK(streams_.results().keep(forked, result.handle, *whole));
    }
    WEFT_TRY(const BusEvent copied, bus->emit(event.type, std::move(payload)));
    (void)copied;
  }
  return show(request, forked);
}

Result<AgentRun> Agents::show(const RequestContext& request, const std::string& run) {
  WEFT_TRY(const SeenRun seen, streams_.look(request, run));
  return told(seen);
}

Result<std::vector<AgentRun>> Agents::list(const RequestContext& request, std::size_t limit, const std::string& after) {
  std::vector<std::string> ids = streams_.all();
  std::sort(ids.rbegin(), ids.rend());
  std::vector<AgentRun> runs;
  for (const std::string& id : ids) {
    if (runs.size() >= limit) break;
    if (!after.empty() && id >= after) continue;
    const auto seen = streams_.look(request, id);
    if (!seen.ok() && seen.error().code != ErrorCode::kNotFound)
      log_warning("agent", "run " + id + ": " + seen.error().message);
    if (!seen.ok() || !seen->state.start.parent.empty()) continue;
    WEFT_TRY(AgentRun run, told(*seen));
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<std::vector<BusEvent>> Agents::events(const RequestContext& request, const std::string& run, std::uint64_t since,
                                             std::chrono::milliseconds wait) {
  WEFT_TRY(const SeenRun seen, streams_.look(request, run));
  if (wait.count() > 0 && !seen.state.ended())
    (void)seen.bus->wait_for_more(since, Deadline({}, request.cancel).within(wait));
  return seen.bus->since(since);
}

// What runs ask, and what they are told meanwhile.

Result<AgentRun> Agents::answer(const RequestContext& request, const std::string& run, const AgentAnswer& answer) {
  WEFT_TRY(const SeenRun seen, streams_.look(request, run));
  std::vector<Question> open;
  streams_.open_questions(seen.state, open);
  if (answer.question.empty() && open.size() > 1)
    return invalid_argument("several questions are open: say which one is answered", "`weft agent show` lists them");
  const auto found = std::find_if(open.begin(), open.end(), [&](const Question& one) {
    return answer.question.empty() || one.id == answer.question;
  });
  if (found == open.end()) return not_found("the run " + run + " has no open question " + answer.question);
  WEFT_TRY(const Question answered, services_.questions->answer(request, found->id, answer.text, answer.arguments));
  (void)answered;
  return show(request, run);
}

Status Agents::take_answer(const Question& question, const Answered& answer) {
  const auto bus = streams_.open(question.run);
  // A question may name a run of somebody else's, or one that was erased: then nothing waits here.
  const bool is_elsewhere = core_.store->is_shared() && !bus.ok() && bus.error().code == ErrorCode::kNotFound;
  if (is_elsewhere)
    return unavailable("the run " + question.run + " belongs to another server",
                       "send the answer to the server that started it");
  if (!bus.ok()) return bus.error().code == ErrorCode::kNotFound ? Status() : Status(bus.error());
  // A run puts a question into the queue a moment before it notes it in its own stream.
  const Deadline patience = Deadline::after(kNoted);
  RunState state;
  for (bool may_come = true; may_come;) {
    may_come = active_.at_work(question.run);
    WEFT_TRY(state, fold(question.run, (*bus)->since(0)));
    may_come = may_come && !state.questions.contains(question.id) && (*bus)->wait_for_more(state.last, patience);
  }
  const auto asked = state.questions.find(question.id);
  if (state.start.owner != question.owner || asked == state.questions.end() || asked->second.answer) return {};
  WEFT_TRY(const BusEvent event, (*bus)->emit(BusEventType::kHumanResponse, to_json(answer)));
  (void)event;
  if (answer.timed_out) return {};
  WEFT_TRY(const std::string root, streams_.root_of(question.run));
  WEFT_TRY(const RequestContext request, request_of_scope(ScopeKey(question.owner)));
  WEFT_TRY(const SeenRun seen, streams_.look(request, root));
  if (seen.state.ended() || active_.at_work(root)) return {};
  // The answer is on disk. What cannot go on now is gone on with later.
  if (const Status launched = go_on(request, seen); !launched.ok() && launched.error().code != ErrorCode::kConflict)
    log_warning("agent", "run " + root + ": " + launched.error().message);
  return {};
}

// Work of runs: on a thread of their own, as sub-agents, and what a kill left of their ends.

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
