#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/loop.h"
#include "engine/run_kit.h"
#include "engine/run_streams.h"
#include "engine/services.h"
#include "model/rows.h"
#include "weft/agent_runs.h"
#include "weft/config.h"

namespace weft {

/// A run that is at work.
struct ActiveRun {
  LoopStop stop;
  std::jthread thread;  ///< none for sub-agents, which work on the thread of their call
  std::atomic<bool> done = false;

  /// Waits until its loop has come back, or the patience is over. Gives whether it has.
  bool comes_back(std::chrono::milliseconds patience) const;
};

/// Which runs are at work: each has one loop at a time, and so many as `agent.runs` says have a thread. Safe from any
/// thread.
class ActiveRuns {
 public:
  explicit ActiveRuns(const AgentSettings& settings) : settings_(settings) {}

  /// Enters a run, and keeps a second loop out of it. kConflict where it is at work or too many are, kUnavailable while
  /// runs of its scope are kept still.
  Result<std::shared_ptr<ActiveRun>> take(const std::string& run, const ScopeKey& scope);
  /// Calls `work` on a thread of the run's own until `over` says so. While `over` is asked nobody learns whether the
  /// run is at work: who speaks to it behind that finds it done.
  /// kUnavailable where there is no thread for it: then the run is not at work.
  Status start(ActiveRun& active, std::function<Result<LoopEnd>()> work,
               std::function<bool(const Result<LoopEnd>&)> over);
  bool at_work(const std::string& run);
  /// Tells the loop of a run to come back with an event that says why. Gives the run; null where it is not at work.
  std::shared_ptr<ActiveRun> interrupt(const std::string& run, const std::string& why);
  /// Tells all to come back, and waits for those that have threads.
  void stop_all();

  /// No run of the scope begins until `open`. Gives all that are at work.
  std::map<std::string, std::shared_ptr<ActiveRun>> close(const ScopeKey& scope);
  /// Runs that are to go on when the scope is open again.
  void keep_still(const ScopeKey& scope, std::vector<std::string> stopped);
  /// Gives those runs.
  std::vector<std::string> open(const ScopeKey& scope);

 private:
  const AgentSettings& settings_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<ActiveRun>> active_;
  std::map<ScopeKey, std::vector<std::string>> still_;  ///< by scope: runs that were at work
};

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
    LoopHooks& hooks;  ///< what learns from them
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
