#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/active_runs.h"
#include "engine/agents.h"
#include "engine/run_kit.h"
#include "engine/run_streams.h"
#include "model/erased_messages.h"
#include "weft/erasure.h"

namespace weft {

/// Forgetting in runs: their streams, outputs that were kept whole, and files that they wrote. Safe from any thread.
class RunEraser {
 public:
  /// `agents` lets runs that stood still go on.
  RunEraser(RunStreams& streams, ActiveRuns& active, const RunKit& kit, Agents& agents)
      : streams_(streams), active_(active), kit_(kit), agents_(agents) {}

  /// Runs that an erasure may concern stand still until `let_go`, and none of the scope begins. kTimeout where one does
  /// not stop; `let_go` all the same.
  Status hold(const ScopeKey& scope, const EraseRequest& what);
  void let_go(const ScopeKey& scope);
  /// Takes the words of erased messages out of streams, kept outputs and files that runs wrote; whole runs where
  /// nothing of them is left. Between `hold` and `let_go`.
  Status erase(const ErasedMessages& gone);
  /// Ids of the questions that runs asked of erased messages; the same before and after they were taken out.
  std::set<std::string> questions_of(const ErasedMessages& gone);

 private:
  using Origins = std::map<std::string, std::vector<std::string>>;  ///< of forks: runs whose words they begin with
  Origins origins();
  Result<std::vector<BusEvent>> events_of(const std::string& run, const std::string& owner);
  Status erase_in_run(const std::string& run, const std::vector<BusEvent>& events,
                      const std::vector<std::string>& origins, const ErasedMessages& gone);
  Status remove_run(const std::string& run, const std::vector<BusEvent>& events, const ErasedMessages& gone);
  Status remove_files(const std::vector<std::pair<std::string, std::string>>& written, const ErasedMessages& gone);

  RunStreams& streams_;
  ActiveRuns& active_;
  const RunKit& kit_;
  Agents& agents_;
};

}  // namespace weft
