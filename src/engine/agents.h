#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "agent/loop.h"
#include "agent/loop_hooks.h"
#include "engine/active_runs.h"
#include "engine/run_kit.h"
#include "engine/run_streams.h"
#include "engine/services.h"
#include "weft/agent_runs.h"

namespace weft {

class Prompts;
class Reflections;
struct EngineCore;

/// Runs of agents: starts their loops on threads of their own, and reads and writes their streams. Safe from any
/// thread.
class Agents final : public SubAgents {
 public:
  /// The services that runs use; they outlive the runs.
  struct Uses {
    RunStreams& streams;
    ActiveRuns& active;
    RunKit& kit;
    Prompts& prompts;
    LoopHooks& hooks;         ///< what learns from them
    RunQuestions& questions;  ///< where they ask people
    Reflections& reflections;  ///< hears what a person says to a run that has ended
  };

  Agents(EngineCore& core, const Services& services, const Uses& with);
  ~Agents() override;  ///< as `stop_all`
  /// Stops all runs; they can be resumed. Those whose answer stands do what follows from it before this returns.
  void stop_all() { active_.stop_all(); }

  /// An answer to a question of a run, or its fallback, on the run's stream. With an answer a run that is not at work
  /// goes on, also one that had ended and left the question open.
  Status take_answer(const Question& question, const Answered& answer);
  /// Does what follows from answers that stood before a kill, on this thread.
  void close_left(std::stop_token stop);
  /// A loop for a run that has none, on a thread of its own. kConflict where it is at work.
  Status go_on(const RequestContext& request, const SeenRun& seen);

  // As the facet `AgentRuns` says.
  Result<AgentRun> start(const RequestContext& request, const AgentTask& task);
  Result<AgentRun> resume(const RequestContext& request, const std::string& run);
  Result<AgentRun> interrupt(const RequestContext& request, const std::string& run, const std::string& why);
  Result<AgentRun> say(const RequestContext& request, const std::string& run, const std::string& text);
  Result<AgentRun> answer(const RequestContext& request, const std::string& run, const AgentAnswer& answer);
  Result<AgentRun> fork(const RequestContext& request, const std::string& run, std::uint64_t at);
  Result<AgentRun> show(const RequestContext& request, const std::string& run);
  Result<std::vector<AgentRun>> list(const RequestContext& request, std::size_t limit, const std::string& after);
  Result<std::vector<BusEvent>> events(const RequestContext& request, const std::string& run, std::uint64_t since,
                                       std::chrono::milliseconds wait);

  // As `SubAgents` says.
  Result<ToolOutcome> spawn(const RunState& parent, Bus& bus, const ToolRequest& call) override;

 private:
  Result<AgentRun> told(const SeenRun& seen);
  void await_ending(const std::string& run);
  Result<LoopEnd> work(const RequestContext& request, const std::string& run, Bus& bus, LoopStop& stop);

  EngineCore& core_;
  const Services& services_;
  RunStreams& streams_;
  ActiveRuns& active_;
  RunKit& kit_;
  const Uses with_;
};

}  // namespace weft
