#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "ports/chat/chat_model.h"
#include "text/record.h"
#include "weft/config.h"

namespace weft {

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
