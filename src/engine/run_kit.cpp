#include "engine/run_kit.h"

#include <algorithm>

#include "agent/builtin_tools.h"
#include "agent/run_state.h"
#include "agent/tool.h"
#include "base/log.h"
#include "base/prompts.h"
#include "base/settings_table.h"
#include "base/strings.h"
#include "engine/engine_core.h"
#include "engine/historian.h"
#include "engine/profiles.h"
#include "engine/researches.h"
#include "engine/searcher.h"
#include "engine/services.h"
#include "engine/states.h"
#include "engine/streams.h"
#include "model/rows.h"
#include "text/instruction_like.h"
#include "text/record.h"
#include "text/utf8.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kToList{20};

}  // namespace

Result<std::vector<std::shared_ptr<McpClient>>> McpServers::clients() {
  const std::filesystem::path path = std::filesystem::path(core_.config.workspace) / "mcp.json";
  const auto text = read_file(path);
  const std::lock_guard lock(mutex_);
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) return text.error();
  if (text.value_or({}) == text_) return clients_;
  std::vector<McpServer> servers;
  if (text.ok()) {
    WEFT_TRY(servers, parse_mcp_servers(*text, "mcp.json"));
  }
  std::vector<std::shared_ptr<McpClient>> made;
  for (McpServer& server : servers)
    made.push_back(McpClient::make(
        std::move(server),
        [this](const McpServer& one, McpTransport::OnMessage on_message) -> Result<std::unique_ptr<McpTransport>> {
          if (!one.command.empty()) return open_stdio_transport(one.command, one.environment, std::move(on_message));
          return open_http_transport(core_.models->http(), one.url, one.headers, std::move(on_message));
        }));
  text_ = text.value_or({});
  clients_ = std::move(made);
  return clients_;
}

Status McpServers::add_tools(ToolRegistry& into) {
  WEFT_TRY(const auto servers, clients());
  std::set<std::string> taken;
  for (const ToolInfo& one : into.infos()) taken.insert(one.name);
  for (const auto& client : servers) {
    const auto tools = client->tools(Deadline::after(kToList), taken);
    if (!tools.ok()) {
      log_warning("mcp.tools", tools.error().message);
      continue;
    }
    for (const auto& tool : *tools)
      if (const Status added = into.add(tool); !added.ok()) log_warning("mcp.tools", added.error().message);
  }
  return {};
}

// What a run works with: its limits, its model, its tools.

namespace {

std::string_view prompt_language(std::string_view text) {
  for (std::size_t at = 0; at < text.size();)
    if (is_cjk(next_code_point(text, at))) return "zh";
  return "en";
}

bool is_wanted(const AgentTools& tools, const std::string& name) {
  return tools.names.empty() || fits_any(tools.names, name);
}

constexpr std::size_t kMostHits = 20;

struct MemoryArguments {
  std::string query, name = "default", path, operations, action_summary, new_info, outcome;
  std::int64_t top_k = 5;
};

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

// Tools of an agent that read and write its scope's memory.

WEFT_DESCRIBED(MemoryArguments);

template <>
const Record<MemoryArguments>& record<MemoryArguments>() {
  static const auto made = Record<MemoryArguments>("MemoryArguments", "", RecordUse::kAsked)
                               .field("query", &MemoryArguments::query, "")
                               .field("top_k", &MemoryArguments::top_k, "", {.least = 1})
                               .field("name", &MemoryArguments::name, "")
                               .field("path", &MemoryArguments::path, "")
                               .json("operations", &MemoryArguments::operations, "")
                               .field("action_summary", &MemoryArguments::action_summary, "")
                               .field("new_info", &MemoryArguments::new_info, "")
                               .field("outcome", &MemoryArguments::outcome, "");
  return made;
}

namespace {

Result<MemoryArguments> arguments_of(const ToolRequest& request) {
  return parse_record<MemoryArguments>(request.arguments, "the arguments");
}

RequestContext within(const ToolRequest& request) {
  RequestContext context = request.request;
  context.deadline = request.deadline.until();
  context.cancel = request.deadline.cancel();
  return context;
}

ToolOutcome own(std::string text) { return {std::move(text), false, Provenance::kOwnRun}; }
ToolOutcome failed(const Error& error) {
  return {error.message + (error.hint.empty() ? "" : ". " + error.hint), true, Provenance::kOwnRun};
}

Result<ToolOutcome> search(const Services& services, const ToolRequest& request) {
  WEFT_TRY(const MemoryArguments what, arguments_of(request));
  SearchRequest search;
  search.query = what.query;
  search.top_k = std::min<std::size_t>(static_cast<std::size_t>(what.top_k), kMostHits);
  search.not_session = SessionId(request.run);  // what was said here is in the prompt
  const auto found = services.search->search(within(request), search);
  if (!found.ok()) return failed(found.error());
  if (!found->known) return own("nothing is remembered of it");
  std::string text;
  for (const Hit& hit : found->hits) {
    const std::string when = hit.item.time.ms == 0 ? std::string() : format_time(hit.item.time) + ", ";
    text += "- [" + when + std::string(to_string(hit.item.kind)) + "] ";
    if (is_suspect(hit.item)) text += std::string(suspect_remark(language_of(hit.item.text))) + " ";
    text += hit.item.text + "\n";
  }
  return own(text);
}

Result<ToolOutcome> profile(const Services& services, const ToolRequest& request) {
  const Scope& scope = request.request.scope;
  const EntityKey own_key = scope.is_group() ? EntityKey{EntityType::kGroup, scope.group().str()}
                                             : EntityKey{EntityType::kUser, scope.user().str()};
  const auto known = services.profiles->profile(within(request), own_key);
  if (!known.ok() && known.error().code == ErrorCode::kNotFound) return own("there is no profile yet");
  return known.ok() ? own(known->body) : failed(known.error());
}

Result<ToolOutcome> get_state(const Services& services, const ToolRequest& request) {
  WEFT_TRY(const MemoryArguments what, arguments_of(request));
  const auto value = services.states->state_value(within(request), what.name, what.path);
  return value.ok() ? own(to_json(*value)) : failed(value.error());
}

Result<ToolOutcome> apply_state(const Services& services, const ToolRequest& request) {
  WEFT_TRY(const MemoryArguments what, arguments_of(request));
  StateChange change;
  change.operations = what.operations;
  change.author = "agent";
  change.request_id = request.key;  // a second call of the key changes nothing
  const auto view = services.states->apply_state(within(request), what.name, change);
  return view.ok() ? own("version " + std::to_string(view->version)) : failed(view.error());
}

// The call itself has no output yet, so the turn is ended all the same.
Result<ToolOutcome> end_turn(const Services& services, const ToolRequest& request) {
  WEFT_TRY(const MemoryArguments what, arguments_of(request));
  EndRequest end;
  end.action_summary = what.action_summary;
  end.new_info = what.new_info;
  end.force = true;
  const auto report = services.ends->end(request.request, SessionId(request.run), end);
  return report.ok() ? own(report->queued ? "kept" : "there was nothing to keep") : failed(report.error());
}

FunctionTool::Run with(const Services& services, Result<ToolOutcome> (*run)(const Services&, const ToolRequest&)) {
  return [&services, run](const ToolRequest& request) { return run(services, request); };
}

}  // namespace

std::vector<std::shared_ptr<Tool>> memory_tools_of(const Services& services) {
  return {
      make_tool(
          {"memory_search", "Searches what is remembered of earlier conversations and runs.",
           ToolParameters().text("query", "what you want to know").integer("top_k", "how many at most").optional()},
          ToolEffects::kNone, with(services, search)),
      make_tool({"memory_profile", "Reads what is known of the user over the long run.", ToolParameters()},
                ToolEffects::kNone, with(services, profile)),
      make_tool({"state_get", "Reads exact values that are kept.",
                 ToolParameters()
                     .text("path", "such as hero.hp; empty: all of it")
                     .text("name", "of the state; \"default\" if left out")
                     .optional()},
                ToolEffects::kNone, with(services, get_state)),
      make_tool({"state_apply", "Changes exact values that are kept, all of the operations or none.",
                 ToolParameters()
                     .argument("operations", ValueObject{{"type", "array"},
                                                         {"description",
                                                          "such as [\"SET\",\"hero.hp\",5] or "
                                                          "[\"ADD\",\"potion.count\",-1]"},
                                                         {"items", ValueObject{{"type", "array"}}}})
                     .text("name", "of the state; \"default\" if left out")
                     .optional()},
                ToolEffects::kKeyed, with(services, apply_state)),
      // The same text twice is refused where memories are written, so a second call adds nothing.
      make_tool(
          {std::string(kEnd), "Remembers what you did and what you learnt; call it before your last answer.",
           ToolParameters()
               .text("action_summary", "what you did, in one sentence; empty where you only talked")
               .text("new_info", "the one new thing that the user said and that will matter; else empty")
               .optional()
               .choice("outcome", "done: all that was asked for is done; not_done: it is not", {"done", "not_done"})
               .optional()},
          ToolEffects::kKeyed, with(services, end_turn)),
  };
}

}  // namespace weft
