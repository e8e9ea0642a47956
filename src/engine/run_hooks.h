#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/loop.h"
#include "engine/learning_budget.h"
#include "engine/lessons.h"
#include "engine/questions.h"
#include "engine/reflections.h"
#include "growth/belief_book.h"
#include "growth/gaps.h"

namespace weft {

class Profiles;
class Searcher;
class Tasks;

struct EngineCore;

/// What the tasks and answers of runs leave open: looked for in memory first, and asked of the user only where nothing
/// and nobody else knows it. Safe from any thread.
class RunGapFinder {
 public:
  RunGapFinder(EngineCore& core, Profiles& profiles, Tasks& tasks, Searcher& memory, QuestionDesk& desk)
      : core_(core), profiles_(profiles), tasks_(tasks), memory_(memory), desk_(desk) {}

  /// Before the first model call of a run. A model is asked where one of the role "fast" is configured.
  GapsFound before(const RequestContext& request, const RunState& state, std::span<const ToolInfo> tools);

  /// What the final answer leaves open for a person: it cannot decide, does not know, or is otherwise than the user is
  /// believed to want it.
  std::vector<Question> after(const RequestContext& request, const TaskReport& report, std::span<const Belief> told);

 private:
  std::vector<std::string> known_of(const RequestContext& request);
  std::vector<std::string> remembered(const RequestContext& request, const std::string& run, const std::string& query);
  void add_from_model(std::string_view task, std::span<const std::string> known, std::span<const ToolInfo> tools,
                      std::vector<Gap>& gaps);

  EngineCore& core_;
  Profiles& profiles_;
  Tasks& tasks_;
  Searcher& memory_;
  QuestionDesk& desk_;
};

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
