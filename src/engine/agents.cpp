// Runs of agents: starting, stopping and reading them.
#include "engine/agents.h"

#include <algorithm>
#include <random>

#include "base/log.h"
#include "base/strings.h"
#include "engine/engine_core.h"
#include "model/scope_key.h"
#include "ports/files/file_system.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kPatience{5};  // for a run to stop
constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";

// Ten digits of the time and eight by chance: sorted, older runs come first.
std::string new_run_id(Time now) {
  std::string id(18, '0');
  auto time = static_cast<std::uint64_t>(now.ms);
  for (std::size_t i = 10; i-- > 0; time /= 32) id[i] = kDigits[time % 32];
  static thread_local std::random_device chance;
  for (std::size_t i = 10; i < id.size(); ++i) id[i] = kDigits[chance() % 32];
  return id;
}

bool is_run_id(const std::string& id) {
  const auto fine = [](char c) { return kDigits.find(c) != std::string_view::npos || c == '-'; };
  return !id.empty() && id.size() <= 120 && id.front() != '-' && std::all_of(id.begin(), id.end(), fine);
}

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
      results_(disk(), std::filesystem::path(core.config.workspace) / "agents" / "results") {}

Agents::~Agents() {
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
  if (!is_run_id(run)) return no_run(run);
  const std::lock_guard lock(mutex_);
  if (auto known = buses_[run].lock()) return known;
  std::error_code ignored;
  if (!make && !std::filesystem::exists(path_of(run), ignored)) return no_run(run);
  WEFT_TRY(auto opened, Bus::open(disk(), path_of(run), *core_.clock));
  opened->tell([this, run, from = opened.get(), owner = std::string()](const BusEvent& event) mutable {
    if (owner.empty()) owner = owner_of(*from);
    if (!owner.empty()) core_.feed.add(owner, event.time, HappeningKind::kRun, run, to_json(event));
  });
  std::shared_ptr<Bus> bus = std::move(opened);
  buses_[run] = bus;
  std::erase_if(buses_, [](const auto& one) { return one.second.expired(); });
  return bus;
}

Result<Agents::Seen> Agents::look(const RequestContext& request, const std::string& run) {
  WEFT_TRY(auto bus, bus_of(run, false));
  WEFT_TRY(RunState state, fold(run, bus->since(0)));
  if (state.last == 0 || state.start.owner != request.scope.key()) return no_run(run);
  return Seen{std::move(bus), std::move(state)};
}

bool Agents::at_work(const std::string& run) {
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(run);
  return found != active_.end() && !found->second->done;
}

// What a sub-agent asks is asked by the run that started it.
bool Agents::add_questions(const RunState& state, std::vector<Question>& into) {
  bool waits = false;
  if (state.ended()) return waits;
  for (const QuestionState* one : state.open_questions()) {
    into.push_back(one->asked.question);
    waits = waits || !one->asked.call.empty();
  }
  for (const auto& [call, sub] : state.sub_agents) {
    if (!sub.outcome.empty()) continue;
    const auto bus = bus_of(sub.run, false);
    if (!bus.ok()) continue;
    if (const auto below = fold(sub.run, (*bus)->since(0)); below.ok()) waits = add_questions(*below, into) || waits;
  }
  return waits;
}

Result<AgentRun> Agents::told(const Seen& seen) {
  const RunState& state = seen.state;
  AgentRun run;
  run.id = state.run;
  run.owner = state.start.owner;
  run.task = state.start.task;
  run.type = state.start.type;
  run.parent = state.start.parent;
  if (state.output) run.output = state.output->text, run.why = state.output->why, run.outcome = state.output->outcome;
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

AgentLimits Agents::limits_of(const AgentLimits& asked) const {
  const AgentSettings& set = core_.config.agent;
  const auto within = [](std::int64_t wanted, std::int64_t most) { return wanted > 0 ? std::min(wanted, most) : most; };
  return {within(asked.tool_calls, set.tool_calls), within(asked.seconds, set.seconds),
          within(asked.tokens, set.tokens), within(asked.depth, set.depth), within(asked.repeats, set.repeats)};
}

LoopSettings Agents::loop_settings() const {
  const AgentSettings& set = core_.config.agent;
  LoopSettings loop;
  loop.call_time = std::chrono::seconds(set.call_seconds);
  loop.model_time = std::chrono::seconds(set.model_seconds);
  loop.question_time = std::chrono::minutes(set.question_minutes);
  loop.output_tokens = set.output_tokens;
  loop.result_bytes = static_cast<std::size_t>(set.result_bytes);
  loop.parallel = set.parallel;
  loop.tools_offered = static_cast<std::size_t>(set.tools_offered);
  return loop;
}

// The model by the type of the task.
Result<std::string> Agents::role_of(const AgentTask& task) const {
  std::string role = task.model;
  std::string_view list = core_.config.agent.models;
  while (role.empty() && !list.empty()) {
    const auto comma = list.find(',');
    const std::string_view one = trimmed(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    const auto equals = one.find('=');
    if (equals != std::string_view::npos && trimmed(one.substr(0, equals)) == task.type)
      role = trimmed(one.substr(equals + 1));
  }
  if (role.empty()) role = "main";
  if (!task.model.empty() && !core_.config.roles.contains(role))
    return invalid_argument("no model has the role \"" + role + "\"", "name it under [roles] in weft.toml");
  if (core_.models->chat(role) == nullptr)
    return conflict("there is no chat model for an agent",
                    "configure one: [models.NAME] and [roles] main in weft.toml, then start the server again");
  return role;
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
  start.owner = request.scope.key();
  WEFT_TRY(start.model, role_of(task));
  start.limits = limits_of(task.limits);
  start.tools = task.tools;
  // What makes no sense is told before there is a run.
  RunState draft;
  draft.start = start;
  const std::string run = new_run_id(core_.clock->now());
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
Result<std::shared_ptr<Agents::Active>> Agents::take(const std::string& run, const std::string& scope) {
  const std::lock_guard lock(mutex_);
  if (held_.contains(scope))
    return unavailable("words of " + scope + " are being erased: no run begins meanwhile", "try again in a moment");
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
  WEFT_TRY(const auto active, take(run, seen.state.start.owner));
  RequestContext own = request;  // the run outlives the call that started it
  own.deadline.reset();
  own.cancel = {};
  const std::lock_guard lock(mutex_);
  active->thread = std::jthread([this, own, run, bus = seen.bus, active = active.get()] {
    const auto end = work(own, run, *bus, active->stop);
    if (!end.ok()) log_error("agent", "run " + run + ": " + end.error().message);
    active->done = true;
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

Result<AgentRun> Agents::say(const RequestContext& request, const std::string& run, const std::string& text) {
  if (trimmed(text).empty()) return invalid_argument("there is nothing to say");
  WEFT_TRY(Seen seen, look(request, run));
  WEFT_TRY(const BusEvent event, seen.bus->emit(BusEventType::kUserMessage, to_json(Said{Message::user(text)})));
  (void)event;
  // A loop that has just ended did not see it.
  if (!at_work(run) || seen.state.ended()) {
    const Status launched = launch(request, seen);
    if (!launched.ok() && launched.error().code != ErrorCode::kConflict) return launched.error();
  }
  return show(request, run);
}

Result<AgentRun> Agents::answer(const RequestContext& request, const std::string& run, const AgentAnswer& answer) {
  WEFT_TRY(const Seen seen, look(request, run));
  std::vector<Question> open;
  add_questions(seen.state, open);
  if (answer.question.empty() && open.size() > 1)
    return invalid_argument("several questions are open: say which one is answered", "`weft agent show` lists them");
  const auto found = std::find_if(open.begin(), open.end(), [&](const Question& one) {
    return answer.question.empty() || one.id == answer.question;
  });
  if (found == open.end()) return not_found("the run " + run + " has no open question " + answer.question);
  WEFT_TRY(const Question answered, desk_->answer_with(request, found->id, answer.text, answer.arguments));
  (void)answered;
  return show(request, run);
}

// A sub-agent works on the thread of the run that started it.
Result<std::string> Agents::root_of(const std::string& run) {
  WEFT_TRY(const auto bus, bus_of(run, false));
  WEFT_TRY(const RunState state, fold(run, bus->since(0)));
  return state.start.parent.empty() ? Result<std::string>(run) : root_of(state.start.parent);
}

Status Agents::take_answer(const Question& question, const Answered& answer) {
  const auto bus = bus_of(question.run, false);
  // A question may name a run of somebody else's, or one that was erased: then nothing waits here.
  if (!bus.ok()) return bus.error().code == ErrorCode::kNotFound ? Status() : Status(bus.error());
  WEFT_TRY(const RunState state, fold(question.run, (*bus)->since(0)));
  const auto asked = state.questions.find(question.id);
  if (state.start.owner != question.owner || asked == state.questions.end() || asked->second.answer) return {};
  WEFT_TRY(const BusEvent event, (*bus)->emit(BusEventType::kHumanResponse, to_json(answer)));
  (void)event;
  if (answer.timed_out) return {};
  WEFT_TRY(const std::string root, root_of(question.run));
  const ScopeParts parts = parts_of_scope(question.owner);
  WEFT_TRY(const Scope scope, parts.group.empty() ? Scope::of_user(parts.user) : Scope::of_group(parts.group));
  const RequestContext request{scope, {}, {}};
  WEFT_TRY(const Seen seen, look(request, root));
  if (seen.state.ended() || at_work(root)) return {};
  // The answer is on disk. What cannot go on now is gone on with later.
  if (const Status launched = launch(request, seen); !launched.ok() && launched.error().code != ErrorCode::kConflict)
    log_warning("agent", "run " + root + ": " + launched.error().message);
  return {};
}

void Agents::tell_lesson(const std::string& run, const LessonTold& lesson) {
  if (!at_work(run)) return;
  const auto bus = bus_of(run, false);
  if (!bus.ok()) return;
  if (const auto told = (*bus)->emit(BusEventType::kLesson, to_json(lesson)); !told.ok())
    log_warning("agent", "run " + run + ": " + told.error().message);
}

// The same events in a new stream; outputs that were cut are read there, too.
Result<AgentRun> Agents::fork(const RequestContext& request, const std::string& run, std::uint64_t at) {
  WEFT_TRY(const Seen seen, look(request, run));
  if (at < 2 || at > seen.state.last)
    return invalid_argument(
        "the run has " + std::to_string(seen.state.last) + " events, and cannot be forked at " + std::to_string(at),
        "name one from 2 on");
  const std::string forked = new_run_id(core_.clock->now());
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
