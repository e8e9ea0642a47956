#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/run_state.h"
#include "base/clock.h"
#include "ports/chat/chat_model.h"
#include "text/record.h"
#include "weft/agent.h"
#include "weft/config.h"
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

/// How much models are asked for the sake of learning, and how much they may be.
struct LearningStatus {
  std::string day;  ///< YYYY-MM-DD that the figures are of
  std::int64_t calls = 0, tokens = 0;
  double minutes = 0;                              ///< of model time
  std::int64_t most_tokens = 0, most_minutes = 0;  ///< a day
  std::string turns;  ///< how turns are looked back at: "floor" or "model"
  std::int64_t from_hour = 0, to_hour = 24;  ///< of the day, between which models are asked
  std::int64_t replays = 0, regressions = 0;  ///< see `LearningPlan`
  bool enabled = true;  ///< anything is learnt at all, from the scopes that are meant
  std::string scopes;   ///< patterns of who is learnt from
  bool open = true;     ///< a model may be asked now
  std::string why;    ///< it may not
};
WEFT_DESCRIBED(LearningStatus);

/// How a workspace with this configuration stands at that moment, by what is kept there.
LearningStatus learning_status(const Config& config, Time now);

/// How much models may be asked in the background for the sake of learning: tokens and minutes a day, in the hours that
/// the plan says (learning.json), read anew each time. What was used is kept in reflections/budget.json, so that a
/// restart gives nothing anew. Calls for which somebody waits are counted, too, and never refused. Safe from any
/// thread.
class LearningBudget {
 public:
  LearningBudget(const Config& config, const Clock& clock);

  /// Whether background work may ask a model now; else it does without.
  bool open();

  /// The same model, whose calls are counted here. Lives as long as the budget; null for null.
  ChatModel* counted(ChatModel* model);

  /// One call of a model.
  void spend(std::int64_t tokens, double ms);

 private:
  Status keep() const;

  const Config& config_;
  const Clock& clock_;
  std::mutex mutex_;  ///< of what follows
  LearningStatus used_;
  std::map<ChatModel*, std::unique_ptr<ChatModel>> counted_;
};

}  // namespace weft
