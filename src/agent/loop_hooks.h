#pragma once

#include <string>

#include "agent/run_state.h"

namespace weft {

/// Where what learns from runs takes part in them. What these do costs the run time: a deadline is theirs to keep. None
/// may throw. Called on the run's thread; one object serves many runs at once.
class LoopHooks {
 public:
  virtual ~LoopHooks() = default;
  /// Further text for the system prompt of the next call: rules and skills. The same state gives the same text, so that
  /// the prompt keeps its prefix.
  virtual std::string before_model(const RunState& state) { return (void)state, std::string(); }
  /// After a step that failed: what is to be learnt from it at once; without a text: nothing.
  virtual LessonTold after_failure(const TaskReport& so_far, const ReportStep& failed) {
    return (void)so_far, (void)failed, LessonTold();
  }
  /// The run has ended.
  virtual void at_end(const TaskReport& report) { (void)report; }
};

}  // namespace weft
