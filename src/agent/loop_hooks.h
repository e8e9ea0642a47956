#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/run_events.h"
#include "agent/run_state.h"
#include "weft/growth.h"
#include "weft/result.h"
#include "weft/task.h"

namespace weft {

/// What stands between a task and a sure result, and what is asked of a person about it.
struct GapsFound {
  LessonTold told;
  std::vector<Question> asked;  ///< text, kind and choices; the rest is given to them where they are asked
};

/// Where what learns from runs takes part in them. What these do costs the run time: a deadline is theirs to keep. None
/// may throw. Called on the run's thread; one object serves many runs at once.
class LoopHooks {
 public:
  virtual ~LoopHooks() = default;
  /// Before each model call: rules and skills. Where the state has none yet, the snapshot of the task; later only what
  /// of it does not hold any more. Empty: there is nothing to add to what was told.
  virtual LessonTold learnt(const RunState& state) { return (void)state, LessonTold(); }
  /// Before the first model call: what the task does not say. What memory has is told, what only a person knows asked.
  virtual GapsFound gaps_before(const RunState& state, std::span<const ToolInfo> tools) {
    return (void)state, (void)tools, GapsFound();
  }
  /// After a step that failed: what is to be learnt from it at once; without a text: nothing.
  virtual LessonTold after_failure(const TaskReport& so_far, const ReportStep& failed) {
    return (void)so_far, (void)failed, LessonTold();
  }
  /// The run has ended. Gives what its answer leaves open for a person.
  virtual std::vector<Question> at_end(const RunState& state, const TaskReport& report) {
    return (void)state, (void)report, std::vector<Question>();
  }
};

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
