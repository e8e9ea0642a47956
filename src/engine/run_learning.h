#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/run_events.h"
#include "weft/agent.h"
#include "weft/ids.h"
#include "weft/result.h"

namespace weft {

/// Whether anything is learnt of what somebody did: the one place that decides it. The plan says of whom
/// (learning.json, see `LearningPlan`), and a run, a research or a transcript may have been begun without. Such a one
/// is kept and told like any other; what is made of those that are learnt from is not made of it. Both are read anew
/// each time, from where they are kept, so that a restart changes nothing. Safe from any thread.
class RunLearning {
 public:
  explicit RunLearning(std::filesystem::path workspace) : workspace_(std::move(workspace)) {}

  bool from(const ScopeKey& scope) const;
  bool from(const RunStarted& start) const { return start.learn && from(ScopeKey(start.owner)); }
  bool from(const TaskReport& report) const { return report.learn && from(ScopeKey(report.owner)); }
  /// Of messages in a session: of a run or a research that was begun without, nothing.
  bool from(const ScopeKey& scope, const SessionId& session) const;

  /// Whether a session is that of a run or a research, which keeps its own report.
  bool is_of_run(const ScopeKey& scope, const SessionId& session) const;

  /// What a call is told that would learn where nothing is to be learnt: kConflict.
  Status check(const TaskReport& report) const;

 private:
  /// The files that a run or a research of this session would write its events to.
  std::vector<std::filesystem::path> streams_of(const ScopeKey& scope, const SessionId& session) const;

  std::filesystem::path workspace_;
};

}  // namespace weft
