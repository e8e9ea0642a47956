// What a run works with: its limits, its model, its tools, its sub-agents.
#include <algorithm>

#include "agent/builtin_tools.h"
#include "agent/function_tool.h"
#include "agent/wait_words.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/prompts.h"
#include "base/strings.h"
#include "engine/agent_parts.h"
#include "engine/agent_tools.h"
#include "engine/agents.h"
#include "engine/engine_core.h"
#include "engine/scope_request.h"
#include "engine/session_context.h"
#include "text/utf8.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

struct SpawnArguments {
  std::string task, type;
};

std::string_view prompt_language(std::string_view text) {
  for (std::size_t at = 0; at < text.size();)
    if (is_cjk(next_code_point(text, at))) return "zh";
  return "en";
}

bool is_wanted(const AgentTools& tools, const std::string& name) {
  return tools.names.empty() || fits_any(tools.names, name);
}

}  // namespace

Result<Permissions> permissions_of(const std::string& configured, const AgentTools& tools) {
  Permissions permissions;
  WEFT_CHECK(permissions.add(configured));
  std::string own;
  for (const std::string& one : tools.permissions) own += one + ",";
  WEFT_CHECK(permissions.add(own));
  return permissions;
}

Result<std::shared_ptr<Tool>> verifier_of(const RunState& state, const std::filesystem::path& folder,
                                          std::chrono::milliseconds most) {
  if (state.start.parent.empty())
    for (const AgentCommand& command : state.start.tools.commands)
      if (command.name == kVerify) return verify_tool(command, folder, most);
  return std::shared_ptr<Tool>();
}

std::string system_text_for(const std::string& task) {
  return std::string(shipped_prompt("agent", prompt_language(task)).text);
}

WEFT_DESCRIBED(SpawnArguments);

template <>
const Record<SpawnArguments>& record<SpawnArguments>() {
  static const auto made = Record<SpawnArguments>("SpawnArguments", "", RecordUse::kAsked)
                               .field("task", &SpawnArguments::task, "", {.required = true})
                               .field("type", &SpawnArguments::type, "");
  return made;
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

std::filesystem::path Agents::work_folder() const {
  const std::string& set = core_.config.agent.work_folder;
  return set.empty() ? std::filesystem::path(core_.config.workspace) / "work" : std::filesystem::path(set);
}

Result<ToolRegistry> Agents::tools_of(const RequestContext& request, const RunState& state, Bus* bus) {
  const AgentTools& wanted = state.start.tools;
  WEFT_TRY(const Permissions permissions, permissions_of(core_.config.agent.permissions, wanted));
  (void)permissions;
  WEFT_TRY(auto opened, WorkFolder::open(work_folder()));
  const auto folder = std::make_shared<const WorkFolder>(std::move(opened));
  const auto most = std::chrono::seconds(core_.config.agent.call_seconds);
  std::vector<std::shared_ptr<Tool>> all = file_tools(folder);
  for (auto& tool : memory_tools_of(services_)) all.push_back(std::move(tool));
  all.push_back(human_tool());
  all.push_back(result_tool(results_));
  all.push_back(progress_tool([bus](const ProgressTold& progress) -> Status {
    WEFT_TRY(const BusEvent event, bus->emit(BusEventType::kProgress, to_json(progress)));
    (void)event;
    return {};
  }));
  if (core_.config.agent.shell) all.push_back(shell_tool(folder, most));
  all.push_back(make_tool({std::string(kAgentSpawn),
                           "Gives a part of the task to a sub-agent with a context of its own, and gives its answer. "
                           "Several calls in one answer work at the same time.",
                           ToolParameters()
                               .text("task", "all that the sub-agent must know, it sees nothing else")
                               .text("type", "of the task, such as coding")
                               .optional()},
                          ToolEffects::kKeyed, [this, bus, parent = state](const ToolRequest& call) {
                            return spawn(call.request, parent, *bus, call);
                          }));
  ToolRegistry tools;
  for (auto& tool : all)
    if (is_wanted(wanted, tool->info().name)) WEFT_CHECK(tools.add(std::move(tool)));
  for (const AgentCommand& command : wanted.commands) {
    if (command.name == kVerify) continue;  // what judges the work is not for who does it
    WEFT_TRY(auto tool, command_tool(command, folder->path(), most));
    WEFT_CHECK(tools.add(std::move(tool)));
  }
  for (const ToolSource& source : sources_) WEFT_CHECK(source(request, state, tools));
  return tools;
}

Result<LoopEnd> Agents::work(const RequestContext& request, const std::string& run, Bus& bus, LoopStop& stop) {
  WEFT_TRY(const RunState state, fold(run, bus.since(0)));
  if (state.last == 1) {  // killed before the task was said
    WEFT_TRY(const BusEvent said, bus.emit(BusEventType::kUserMessage, to_json(Said{Message::user(state.start.task)})));
    (void)said;
  }
  // What a kill left between the stream and the queue.
  for (const auto& [id, question] : state.questions)
    if (question.answer) desk_->settled(question.asked.question, *question.answer);
  ChatModel* model = core_.models->chat(state.start.model);
  if (model == nullptr) return unavailable("there is no chat model of the role " + state.start.model);
  WEFT_TRY(const ToolRegistry tools, tools_of(request, state, &bus));
  WEFT_TRY(const Permissions permissions, permissions_of(core_.config.agent.permissions, state.start.tools));
  SessionContext context(services_, weave_, request, core_.config.agent.output_tokens);
  WEFT_TRY(auto verifier, verifier_of(state, work_folder(), std::chrono::seconds(core_.config.agent.call_seconds)));
  const LoopParts parts{bus,
                        context,
                        *model,
                        tools,
                        *hooks_,
                        *desk_,
                        results_,
                        endings_,
                        threads_,
                        permissions,
                        *core_.clock,
                        request,
                        system_text_for(state.start.task),
                        core_.window_of(model->window(), model->name()),
                        std::move(verifier)};
  return AgentLoop(run, parts, loop_settings(), stop).run();
}

void Agents::close_left(std::stop_token stop) {
  for (const std::string& run : endings_.all()) {
    if (stop.stop_requested()) return;
    const auto close = [&]() -> Status {
      const auto bus = bus_of(run, false);
      if (!bus.ok()) return endings_.clear(run);
      WEFT_TRY(const RunState state, fold(run, (*bus)->since(0)));
      if (!state.ended()) return endings_.clear(run);  // it was killed before its answer stood
      WEFT_TRY(const RequestContext request, request_of_scope(ScopeKey(state.start.owner)));
      WEFT_TRY(const auto active, take(run, ScopeKey(state.start.owner)));
      const std::stop_callback with_us(stop, [&active] { active->stop.source.request_stop(); });
      const auto worked = guarded("the end of a run", [&] { return work(request, run, **bus, active->stop); });
      active->done = true;
      return worked.ok() ? Status() : Status(worked.error());
    };
    if (const Status closed = close(); !closed.ok())
      log_warning("agent", "run " + run + ": what follows from its answer waits: " + closed.error().message);
  }
}

// The id of a sub-agent's run follows from the call, so that a call which is made again finds it and goes on with it.
Result<ToolOutcome> Agents::spawn(const RequestContext& request, const RunState& parent, Bus& bus,
                                  const ToolRequest& call) {
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
  WEFT_TRY(const auto own, bus_of(run, true));
  if (own->last() == 0) {
    RunStarted start{what.task,           what.type,          parent.start.owner, "", parent.run, call.call, "", depth,
                     parent.start.limits, parent.start.tools, parent.start.learn};
    AgentTask asked;
    asked.type = what.type;
    WEFT_TRY(start.model, role_of(asked));
    WEFT_CHECK(begin(*own, start));
  }
  SubAgent sub{run, call.call, what.task, "", ""};
  WEFT_TRY(const BusEvent started, bus.emit(BusEventType::kSubAgentStarted, to_json(sub)));
  (void)started;
  WEFT_TRY(const auto active, take(run, ScopeKey(parent.start.owner)));
  const std::stop_callback with_parent(call.deadline.cancel(), [&active] { active->stop.source.request_stop(); });
  const auto worked = work(request, run, *own, active->stop);
  active->done = true;
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

// What changes of skills may draw on: every tool that a run can have, whatever a single run is given of them.
std::vector<ToolInfo> Agents::registry() {
  RunState state;
  state.start.limits = limits_of({});
  const auto scope = Scope::of_user("nobody");
  if (!scope.ok()) return {};
  // No tool of it is run, so that nothing is written to this stream.
  const auto tools = tools_of({*scope, {}, {}}, state, nullptr);
  return tools.ok() ? tools->infos() : std::vector<ToolInfo>();
}

}  // namespace weft
