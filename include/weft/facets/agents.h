#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/agent_runs.h"
#include "weft/facets/facet.h"

namespace weft {

/// Runs of agents. Each is a stream of events on disk; what is acknowledged survives a kill, and a run that is not at
/// work goes on with `resume`. A run is seen by its own scope only: kNotFound for all others.
class AgentRuns : public Facet {
 public:
  /// Starts a run, on a thread of its own. kUnavailable where there is no chat model, kInvalidArgument for tools that
  /// make no sense, kTooLarge while as many runs are at work as may be.
  Result<AgentRun> start(const AgentTask& task) const;
  /// Goes on with a run that was interrupted or killed. kConflict where it is at work, or has ended.
  Result<AgentRun> resume(const std::string& run) const;
  /// Stops a run; it can be resumed. Waits a moment until it has.
  Result<AgentRun> interrupt(const std::string& run, const std::string& why = {}) const;
  /// Says something to a run, which it sees at its next turn. One that has ended or was interrupted goes on with it.
  Result<AgentRun> say(const std::string& run, const std::string& text) const;
  /// Answers a question of the run or of one of its sub-agents, also in the queue of all questions. A run that is not
  /// at work goes on. kNotFound where it is not open.
  Result<AgentRun> answer(const std::string& run, const AgentAnswer& answer) const;
  /// A new run with the events of this one up to number `at`: resume it, or say something to it first.
  Result<AgentRun> fork(const std::string& run, std::uint64_t at) const;
  Result<AgentRun> show(const std::string& run) const;
  /// The newest first; behind the run `after`, unless it is empty.
  Result<std::vector<AgentRun>> list(std::size_t limit = 100, const std::string& after = {}) const;
  /// The events behind this number. With `wait`, until there is one or the time has passed.
  Result<std::vector<BusEvent>> events(const std::string& run, std::uint64_t since = 0,
                                       std::chrono::milliseconds wait = {}) const;

 private:
  friend class Engine;
  using Facet::Facet;
};

}  // namespace weft
