#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/loop.h"
#include "model/scope_key.h"
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

}  // namespace weft
