#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/question_desk.h"
#include "engine/run_gaps.h"
#include "model/erased_messages.h"
#include "model/rows.h"

namespace weft {

/// What answers of private talks leave open, as `RunGapFinder` finds it for runs: what is unsure and memory does not
/// know either, what cannot be decided, what clashes with a belief. The last answer of a talk alone counts: who goes on
/// talking has seen it, so a question about it is taken back. Safe from any thread; nothing in the foreground waits.
class TalkGaps {
 public:
  TalkGaps(EngineCore& core, RunGapFinder& gaps, QuestionDesk& desk,
           std::function<std::vector<Belief>(const ScopeKey& scope)> told)
      : core_(core), gaps_(gaps), desk_(desk), told_(std::move(told)) {}

  /// A message that was kept, in the order of its session. Returns at once.
  void note(const MessageRow& row);
  /// Asks about what was noted of a scope since. The caller keeps erasures away from the scope.
  void work(const ScopeKey& scope);
  /// Nothing is asked of erased messages; questions that were are taken back.
  void erase(const ErasedMessages& gone);

 private:
  struct Talk {
    ScopeKey scope;
    SessionId session;
    std::string asked, answer;  ///< the newest
    bool is_new = false;  ///< the answer was not looked at yet
    std::vector<std::string> questions;  ///< ids of those about it that are open
  };

  void take_back(Talk& talk);

  EngineCore& core_;
  RunGapFinder& gaps_;
  QuestionDesk& desk_;
  std::function<std::vector<Belief>(const ScopeKey& scope)> told_;
  std::mutex mutex_;
  std::map<std::string, Talk> talks_;  ///< by scope and session
};

}  // namespace weft
