#pragma once

#include "agent/run_events.h"
#include "weft/growth.h"
#include "weft/result.h"

namespace weft {

/// Where the questions of runs are asked: the one queue of all questions. By itself it keeps none, so that a run's
/// stream alone has them. Called on the run's thread; one object serves many runs at once.
class RunQuestions {
 public:
  virtual ~RunQuestions() = default;
  /// Puts a question to its owner; gives it as it is kept, with its id. The same question of the same run that is still
  /// open is given again.
  virtual Result<Question> ask(const Question& question) { return question; }
  /// The run has an answer that did not come through the queue: a person spoke, or the time is over.
  virtual void settled(const Question& question, const Answered& answer) { (void)question, (void)answer; }
};

}  // namespace weft
