// Runs of agents: starting, stopping and reading them.
#include "engine/agents.h"

#include <algorithm>

#include "base/guarded.h"
#include "base/log.h"
#include "base/strings.h"
#include "engine/engine_core.h"
#include "engine/job_id.h"
#include "ports/files/file_system.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kPatience{5};  // for a run to stop
constexpr std::size_t kByChance = 8;          // digits of an id

Error no_run(const std::string& run) {
  return not_found("there is no run \"" + run.substr(0, 80) + "\"", "`weft agent list` and GET /v1/tasks list them");
}

// Whose run it is stands in its first event.
std::string owner_of(const Bus& bus) {
  const auto events = bus.since(0);
  if (events.empty() || events.front().type != BusEventType::kRunStarted) return {};
  const auto start = payload_of<RunStarted>(events.front());
  return start.ok() ? start->owner : std::string();
}

}  // namespace

Agents::Agents(EngineCore& core, const Services& services)
    : core_(core),
      services_(services),
      results_(disk(), std::filesystem::path(core.config.workspace) / "agents" / "results"),
      endings_(disk(), std::filesystem::path(core.config.workspace) / "agents" / "ending") {}

Agents::~Agents() { stop_all(); }

void Agents::stop_all() {
  std::map<std::string, std::shared_ptr<Active>> active;
  {
    const std::lock_guard lock(mutex_);
    active = active_;
  }
  for (auto& [id, one] : active) one->stop.source.request_stop();
  for (auto& [id, one] : active)
    if (one->thread.joinable()) one->thread.join();
}

std::filesystem::path Agents::path_of(const std::string& run) const {
  return std::filesystem::path(core_.config.workspace) / "agents" / (run + ".jsonl");
}

// One Bus a file, as long as anybody has it.
Result<std::shared_ptr<Bus>> Agents::bus_of(const std::string& run, bool make) {
  if (!is_job_id(run)) return no_run(run);
  const std::lock_guard lock(mutex_);
  if (auto known = buses_[run].lock()) return known;
  std::error_code ignored;
  if (!make && !std::filesystem::exists(path_of(run), ignored)) return no_run(run);
  WEFT_TRY(auto opened, Bus::open(disk(), path_of(run), *core_.clock));
  opened->tell([this, run, from = opened.get(), owner = std::string()](const BusEvent& event) mutable {
    if (owner.empty()) owner = owner_of(*from);
    if (!owner.empty()) core_.feed.add(ScopeKey(owner), event.time, HappeningKind::kRun, run, to_json(event));
  });
  std::shared_ptr<Bus> bus = std::move(opened);
  buses_[run] = bus;
  std::erase_if(buses_, [](const auto& one) { return one.second.expired(); });
  return bus;
}

Result<Agents::Seen> Agents::look(const RequestContext& request, const std::string& run) {
  WEFT_TRY(auto bus, bus_of(run, false));
  WEFT_TRY(RunState state, fold(run, bus->since(0)));
  if (state.last == 0 || state.start.owner != request.scope.key().str()) return no_run(run);
  return Seen{std::move(bus), std::move(state)};
}

bool Agents::at_work(const std::string& run) {
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(run);
  return found != active_.end() && !found->second->done;
}

Result<AgentRun> Agents::told(const Seen& seen) {
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
  const bool waits = add_questions(state, run.questions);
  const bool active = at_work(state.run);
  run.status = state.ended()       ? "ended"
               : waits             ? "waiting"
               : active            ? "running"
               : state.interrupted ? "interrupted"
                                   : "stopped";
  return run;
}

Status Agents::begin(Bus& bus, RunStarted start) {
  const std::string task = start.task;
  WEFT_TRY(const BusEvent first, bus.emit(BusEventType::kRunStarted, to_json(start)));
  WEFT_TRY(const BusEvent second, bus.emit(BusEventType::kUserMessage, to_json(Said{Message::user(task)})));
  (void)first, (void)second;
  return {};
}

Result<AgentRun> Agents::start(const RequestContext& request, const AgentTask& task) {
  if (trimmed(task.task).empty()) return invalid_argument("\"task\" is empty", "say in words what is to be done");
  RunStarted start;
  start.task = task.task;
  start.type = task.type;
  start.owner = request.scope.key().str();
  WEFT_TRY(start.model, role_of(task));
  start.limits = limits_of(task.limits);
  start.tools = task.tools;
  start.learn = task.learn;
  // What makes no sense is told before there is a run.
  RunState draft;
  draft.start = start;
  const std::string run = new_job_id(core_.clock->now(), kByChance);
  WEFT_TRY(auto bus, bus_of(run, true));
  if (auto tools = tools_of(request, draft, bus.get()); !tools.ok()) {
    bus.reset();
    std::error_code ignored;
    std::filesystem::remove(path_of(run), ignored);
    return tools.error();
  }
  WEFT_CHECK(begin(*bus, std::move(start)));
  WEFT_TRY(const Seen seen, look(request, run));
  WEFT_CHECK(launch(request, seen));
  return told(seen);
}

// Keeps a second loop out of a run.
Result<std::shared_ptr<Agents::Active>> Agents::take(const std::string& run, const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  if (held_.contains(scope))
    return unavailable("words of " + scope.str() + " are being erased: no run begins meanwhile",
                       "try again in a moment");
  std::size_t busy = 0;
  for (auto one = active_.begin(); one != active_.end();) {
    if (one->second->done && !one->second->thread.joinable()) {
      one = active_.erase(one);
      continue;
    }
    if (one->second->done) {
      one->second->thread.join();
      one = active_.erase(one);
      continue;
    }
    busy += one->second->thread.joinable() ? 1 : 0;
    ++one;
  }
  if (active_.contains(run)) return conflict("the run " + run + " is at work", "it has one loop at a time");
  if (busy >= static_cast<std::size_t>(core_.config.agent.runs))
    return conflict(std::to_string(busy) + " runs are at work, and no more may be", "wait for one, or set agent.runs");
  return active_[run] = std::make_shared<Active>();
}

Status Agents::launch(const RequestContext& request, const Seen& seen) {
  const std::string run = seen.state.run;
  WEFT_TRY(const auto active, take(run, ScopeKey(seen.state.start.owner)));
  RequestContext own = request;  // the run outlives the call that started it
  own.deadline.reset();
  own.cancel = {};
  const std::lock_guard lock(mutex_);
  active->thread = std::jthread([this, own, run, bus = seen.bus, active = active.get()] {
    for (bool over = false; !over;) {
      const auto end = guarded("the run", [&] { return work(own, run, *bus, active->stop); });
      if (!end.ok()) log_error("agent", "run " + run + ": " + end.error().message);
      // What was said while the run was ending found it at work: it goes on here. Under the lock, so that who speaks
      // behind this finds it done.
      const std::lock_guard ending(mutex_);
      const auto state = fold(run, bus->since(0));
      over = !end.ok() || *end != LoopEnd::kEnded || !state.ok() || state->ended();
      if (over) active->done = true;
    }
  });
  return {};
}

Result<AgentRun> Agents::resume(const RequestContext& request, const std::string& run) {
  WEFT_TRY(const Seen seen, look(request, run));
  if (seen.state.ended()) return conflict("the run " + run + " has ended", "say something to it, and it goes on");
  WEFT_CHECK(launch(request, seen));
  return told(seen);
}

Result<AgentRun> Agents::interrupt(const RequestContext& request, const std::string& run, const std::string& why) {
  WEFT_TRY(const Seen seen, look(request, run));
  std::shared_ptr<Active> active;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = active_.find(run); found != active_.end()) active = found->second;
    if (active && !active->done && !active->stop.interrupt) {
      active->stop.why = why;
      active->stop.interrupt = true;
    }
  }
  if (!active || active->done) return conflict("the run " + run + " is not at work");
  active->stop.source.request_stop();
  const Deadline patience = Deadline::after(kPatience);
  while (!active->done && !patience.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return show(request, run);
}

// Who reads an answer may speak before what follows from it is done. Its report is of the task as it was answered, and
// what is said of it needs the report.
void Agents::await_ending(const std::string& run) const {
  const Deadline patience = Deadline::after(kPatience);
  while (endings_.has(run) && !patience.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

Result<AgentRun> Agents::say(const RequestContext& request, const std::string& run, const std::string& text) {
  if (trimmed(text).empty()) return invalid_argument("there is nothing to say");
  WEFT_TRY(Seen seen, look(request, run));
  if (seen.state.ended()) await_ending(run);
  WEFT_TRY(const BusEvent event, seen.bus->emit(BusEventType::kUserMessage, to_json(Said{Message::user(text)})));
  (void)event;
  if (seen.state.ended() && told_after_end_) told_after_end_(request, run, text);
  // A loop that has just ended did not see it.
  if (!at_work(run) || seen.state.ended()) {
    const Status launched = launch(request, seen);
    if (!launched.ok() && launched.error().code != ErrorCode::kConflict) return launched.error();
  }
  return show(request, run);
}

// The same events in a new stream; outputs that were cut are read there, too.
Result<AgentRun> Agents::fork(const RequestContext& request, const std::string& run, std::uint64_t at) {
  WEFT_TRY(const Seen seen, look(request, run));
  if (at < 2 || at > seen.state.last)
    return invalid_argument(
        "the run has " + std::to_string(seen.state.last) + " events, and cannot be forked at " + std::to_string(at),
        "name one from 2 on");
  const std::string forked = new_job_id(core_.clock->now(), kByChance);
  WEFT_TRY(const auto bus, bus_of(forked, true));
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
      if (const auto whole = results_.read(run, result.handle); whole.ok())
        WEFT_CHECK(results_.keep(forked, result.handle, *whole));
    }
    WEFT_TRY(const BusEvent copied, bus->emit(event.type, std::move(payload)));
    (void)copied;
  }
  return show(request, forked);
}

Result<AgentRun> Agents::show(const RequestContext& request, const std::string& run) {
  WEFT_TRY(const Seen seen, look(request, run));
  return told(seen);
}

Result<std::vector<AgentRun>> Agents::list(const RequestContext& request, std::size_t limit) {
  std::vector<std::string> ids = all_runs();
  std::sort(ids.rbegin(), ids.rend());
  std::vector<AgentRun> runs;
  for (const std::string& id : ids) {
    if (runs.size() >= limit) break;
    const auto seen = look(request, id);
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
  WEFT_TRY(const Seen seen, look(request, run));
  if (wait.count() > 0 && !seen.state.ended())
    (void)seen.bus->wait_for_more(since, Deadline({}, request.cancel).within(wait));
  return seen.bus->since(since);
}

}  // namespace weft
