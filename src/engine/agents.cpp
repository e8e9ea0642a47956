// Runs of agents: starting, stopping and reading them.
#include "engine/agents.h"

#include <algorithm>

#include "base/call_context.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/strings.h"
#include "engine/answers.h"
#include "engine/engine_core.h"
#include "engine/job_id.h"
#include "engine/reflections.h"
#include "engine/scope_request.h"
#include "ports/files/file_system.h"

namespace weft {
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

}  // namespace weft
