#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/loop_hooks.h"
#include "engine/question_desk.h"
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

}  // namespace weft
