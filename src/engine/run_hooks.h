#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/loop_hooks.h"
#include "engine/reflections.h"
#include "engine/rules.h"
#include "engine/run_gaps.h"
#include "engine/run_learning.h"
#include "engine/skills.h"
#include "growth/belief_book.h"

namespace weft {

/// What is learnt from runs of agents, and what they are told of it: one snapshot of rules and skills a task, gaps,
/// what a failed step teaches, and how the run went. No run waits for a model here, but for the gaps of its task, with
/// a deadline. Safe from any thread.
class RunHooks final : public LoopHooks {
 public:
  struct Services {
    Reflections& reflections;
    Rules& rules;
    Skills& skills;
    BeliefBook& beliefs;
    RunGapFinder& gaps;
    RunLearning learning;
  };
  explicit RunHooks(const Services& with) : with_(with) {}

  LessonTold learnt(const RunState& state) override;
  GapsFound gaps_before(const RunState& state, std::span<const ToolInfo> tools) override;
  LessonTold after_failure(const TaskReport& so_far, const ReportStep& failed) override;
  std::vector<Question> at_end(const RunState& state, const TaskReport& report) override;

 private:
  LessonTold snapshot(const RequestContext& request, const RunState& state);
  LessonTold withdrawn(const RequestContext& request, const RunState& state);

  const Services with_;
};

}  // namespace weft
