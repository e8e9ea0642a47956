#pragma once

#include "agent/loop_hooks.h"
#include "engine/reflections.h"
#include "engine/rules.h"
#include "engine/skills.h"

namespace weft {

/// What is learnt from runs of agents: a failed step is looked at at once, a run that has ended as a whole, and rules
/// and skills that stood in its prompts are counted by how it ended. Without a model, so that no run waits for one.
/// Safe from any thread.
class RunHooks final : public LoopHooks {
 public:
  RunHooks(Reflections& reflections, Rules& rules, Skills& skills)
      : reflections_(reflections), rules_(rules), skills_(skills) {}

  LessonTold after_failure(const TaskReport& so_far, const ReportStep& failed) override;
  void at_end(const TaskReport& report) override;

 private:
  Reflections& reflections_;
  Rules& rules_;
  Skills& skills_;
};

}  // namespace weft
