#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/builtin_tools.h"
#include "agent/loop.h"
#include "agent/mcp_client.h"
#include "agent/run_files.h"
#include "agent/run_state.h"
#include "agent/tool.h"
#include "engine/services.h"

namespace weft {

struct EngineCore;

/// The servers of the Model Context Protocol that mcp.json in the workspace names, and their tools. The file is read
/// anew when a run begins; who is named there unchanged stays connected. Safe from any thread.
class McpServers {
 public:
  explicit McpServers(EngineCore& core) : core_(core) {}

  /// Adds the tools of all servers. A server that does not answer is told in the log and left out: the others serve.
  /// An error says what is wrong in the file.
  Status add_tools(ToolRegistry& into);

 private:
  Result<std::vector<std::shared_ptr<McpClient>>> clients();

  EngineCore& core_;
  std::mutex mutex_;
  std::string text_;  ///< of the file that `clients_` were made from
  std::vector<std::shared_ptr<McpClient>> clients_;
};

class Researches;

/// What the agent is told of itself, in the language of its task.
std::string system_text_for(const std::string& task);

/// Where runs hand parts of their tasks to.
class SubAgents {
 public:
  virtual ~SubAgents() = default;
  /// Works off a call for a sub-agent.
  virtual Result<ToolOutcome> spawn(const RunState& parent, Bus& bus, const ToolRequest& call) = 0;
};

/// Gives runs of agents and their replays their limits, model, tools, permissions and judge, by the configuration and
/// the run's own request. Safe from any thread.
class RunKit {
 public:
  /// `results` holds the outputs that runs open by a handle.
  RunKit(EngineCore& core, const Services& services, ResultStore& results, McpServers& mcp, Researches& researches)
      : core_(core), services_(services), results_(results), mcp_(mcp), researches_(researches) {}

  /// The limits that were asked for, no wider than the configured ones.
  AgentLimits limits_of(const AgentLimits& asked) const;
  LoopSettings loop_settings() const;
  /// The role of the model by the task and its type. kInvalidArgument where no model has it, kConflict where there is
  /// no chat model.
  Result<std::string> role_of(const AgentTask& task) const;
  /// The chat model of a role, kUnavailable where there is none.
  Result<ChatModel*> model_of(const std::string& role) const;
  /// The permissions of a run: its own on top of the configured ones.
  Result<Permissions> permissions_of(const AgentTools& tools) const;
  /// The program that judges a run; null where nobody is to. A sub-agent's answer is judged by the run that started it.
  Result<std::shared_ptr<Tool>> verifier_of(const RunState& state) const;
  /// All tools of a run. What they write on its stream they write to `bus`, sub-agents are those of `agents`; both are
  /// null where none of the tools is called.
  Result<ToolRegistry> tools_of(const RunState& state, Bus* bus, SubAgents* agents);
  /// The tools that a run of no particular task has.
  std::vector<ToolInfo> registry();
  /// Below it runs read and write files.
  std::filesystem::path work_folder() const;
  CallThreads& threads() { return threads_; }

 private:
  std::vector<std::shared_ptr<Tool>> builtin_tools(const RunState& state, Bus* bus, SubAgents* agents,
                                                   const std::shared_ptr<const WorkFolder>& folder);

  EngineCore& core_;
  const Services& services_;
  ResultStore& results_;
  McpServers& mcp_;
  Researches& researches_;
  CallThreads threads_;
};

/// memory_search, memory_profile, state_get, state_apply and end, for one run.
std::vector<std::shared_ptr<Tool>> memory_tools_of(const Services& services);

}  // namespace weft
