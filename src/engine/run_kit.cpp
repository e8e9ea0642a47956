// What a run works with: its limits, its model, its tools.
#include "engine/run_kit.h"

#include <algorithm>

#include "agent/builtin_tools.h"
#include "agent/function_tool.h"
#include "agent/wait_words.h"
#include "base/prompts.h"
#include "base/settings_table.h"
#include "base/strings.h"
#include "engine/agent_tools.h"
#include "engine/engine_core.h"
#include "engine/mcp_servers.h"
#include "engine/researches.h"
#include "text/utf8.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

std::string_view prompt_language(std::string_view text) {
  for (std::size_t at = 0; at < text.size();)
    if (is_cjk(next_code_point(text, at))) return "zh";
  return "en";
}

bool is_wanted(const AgentTools& tools, const std::string& name) {
  return tools.names.empty() || fits_any(tools.names, name);
}

}  // namespace

std::string system_text_for(const std::string& task) {
  return std::string(shipped_prompt("agent", prompt_language(task)).text);
}

AgentLimits RunKit::limits_of(const AgentLimits& asked) const {
  const AgentSettings& set = core_.config.agent;
  const auto within = [](std::int64_t wanted, std::int64_t most) { return wanted > 0 ? std::min(wanted, most) : most; };
  return {within(asked.tool_calls, set.tool_calls), within(asked.seconds, set.seconds),
          within(asked.tokens, set.tokens), within(asked.depth, set.depth), within(asked.repeats, set.repeats)};
}

LoopSettings RunKit::loop_settings() const {
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

// The role that the task names, else that of its type: as agent.models has it, or a role that is called as the type is.
Result<std::string> RunKit::role_of(const AgentTask& task) const {
  const auto& roles = core_.config.roles;
  std::string role = task.model;
  if (role.empty()) {
    WEFT_TRY(const auto by_task, roles_by_task(core_.config.agent.models));
    const auto named = by_task.find(task.type);
    const bool own_name = roles.contains(task.type) && !is_own_role(task.type);
    role = named != by_task.end() ? named->second : own_name ? task.type : "main";
  }
  if (!task.model.empty() && !roles.contains(role)) {
    std::string known;
    for (const auto& [name, model] : roles) known += (known.empty() ? "" : ", ") + name;
    return invalid_argument("no model has the role \"" + role.substr(0, 80) + "\"",
                            known.empty() ? "name it under [roles] in weft.toml"
                                          : "name it under [roles] in weft.toml, or use one of: " + known);
  }
  if (core_.models->chat(role) == nullptr)
    return conflict("there is no chat model for an agent",
                    "configure one: [models.NAME] and [roles] main in weft.toml, then start the server again");
  return role;
}

std::filesystem::path RunKit::work_folder() const {
  const std::string& set = core_.config.agent.work_folder;
  return set.empty() ? std::filesystem::path(core_.config.workspace) / "work" : std::filesystem::path(set);
}

Result<ChatModel*> RunKit::model_of(const std::string& role) const {
  ChatModel* model = core_.models->chat(role);
  if (model == nullptr) return unavailable("there is no chat model of the role " + role);
  return model;
}

Result<Permissions> RunKit::permissions_of(const AgentTools& tools) const {
  Permissions permissions;
  WEFT_CHECK(permissions.add(core_.config.agent.permissions));
  std::string own;
  for (const std::string& one : tools.permissions) own += one + ",";
  WEFT_CHECK(permissions.add(own));
  return permissions;
}

Result<std::shared_ptr<Tool>> RunKit::verifier_of(const RunState& state) const {
  const auto most = std::chrono::seconds(core_.config.agent.call_seconds);
  if (state.start.parent.empty())
    for (const AgentCommand& command : state.start.tools.commands)
      if (command.name == kVerify) return verify_tool(command, work_folder(), most);
  return std::shared_ptr<Tool>();
}

std::vector<std::shared_ptr<Tool>> RunKit::builtin_tools(const RunState& state, Bus* bus, SubAgents* agents,
                                                         const std::shared_ptr<const WorkFolder>& folder) {
  std::vector<std::shared_ptr<Tool>> all = file_tools(folder);
  for (auto& tool : memory_tools_of(services_)) all.push_back(std::move(tool));
  all.push_back(human_tool());
  all.push_back(result_tool(results_));
  all.push_back(progress_tool([bus](const ProgressTold& progress) -> Status {
    WEFT_TRY(const BusEvent event, bus->emit(BusEventType::kProgress, to_json(progress)));
    (void)event;
    return {};
  }));
  if (core_.config.agent.shell)
    all.push_back(shell_tool(folder, std::chrono::seconds(core_.config.agent.call_seconds)));
  all.push_back(make_tool({std::string(kAgentSpawn),
                           "Gives a part of the task to a sub-agent with a context of its own, and gives its answer. "
                           "Several calls in one answer work at the same time.",
                           ToolParameters()
                               .text("task", "all that the sub-agent must know, it sees nothing else")
                               .text("type", "of the task, such as coding")
                               .optional()},
                          ToolEffects::kKeyed, [agents, bus, parent = state](const ToolRequest& call) {
                            return agents->spawn(parent, *bus, call);
                          }));
  return all;
}

Result<ToolRegistry> RunKit::tools_of(const RunState& state, Bus* bus, SubAgents* agents) {
  const AgentTools& wanted = state.start.tools;
  WEFT_TRY(const Permissions checked, permissions_of(wanted));
  (void)checked;
  WEFT_TRY(auto opened, WorkFolder::open(work_folder()));
  const auto folder = std::make_shared<const WorkFolder>(std::move(opened));
  ToolRegistry tools;
  for (auto& tool : builtin_tools(state, bus, agents, folder))
    if (is_wanted(wanted, tool->info().name)) WEFT_CHECK(tools.add(std::move(tool)));
  for (const AgentCommand& command : wanted.commands) {
    if (command.name == kVerify) continue;  // what judges the work is not for who does it
    WEFT_TRY(auto tool, command_tool(command, folder->path(), std::chrono::seconds(core_.config.agent.call_seconds)));
    WEFT_CHECK(tools.add(std::move(tool)));
  }
  WEFT_CHECK(mcp_.add_tools(tools));
  WEFT_CHECK(researches_.add_tool(state, tools));
  return tools;
}

// What changes of skills may draw on: every tool that a run can have, whatever a single run is given of them.
std::vector<ToolInfo> RunKit::registry() {
  RunState state;
  state.start.limits = limits_of({});
  // No tool of it is run, so that nothing is written to this stream.
  const auto tools = tools_of(state, nullptr, nullptr);
  return tools.ok() ? tools->infos() : std::vector<ToolInfo>();
}

}  // namespace weft
