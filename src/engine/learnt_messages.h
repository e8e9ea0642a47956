#pragma once

#include <span>
#include <vector>

#include "engine/question_desk.h"
#include "engine/run_learning.h"
#include "ports/store/store.h"

namespace weft {

/// The messages that readers of the log learn from: those of sessions and runs whose owner lets anything be learnt.
/// Safe from any thread.
class LearntMessages {
 public:
  LearntMessages(Store& store, QuestionDesk& desk, RunLearning learns)
      : store_(store), desk_(desk), learns_(std::move(learns)) {}

  /// The messages that these entries of a scope say were kept, in their order. Long texts are left out.
  Result<std::vector<MessageRow>> of(const ScopeKey& scope, std::span<const LogEntry> entries);

 private:
  Result<bool> may_learn(const MessageRow& row) const;

  Store& store_;
  QuestionDesk& desk_;
  RunLearning learns_;
};

}  // namespace weft
