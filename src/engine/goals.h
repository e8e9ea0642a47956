#pragma once

#include <cstdint>
#include <string>

#include "flow/context/planner.h"
#include "weft/result.h"

namespace weft {

struct EngineCore;

/// What the planner works towards in a scope: it outlives the turn, the session and the process.
struct LastingGoal {
  std::int64_t version = 0;  ///< of its document
  std::string text, quest;
};

Result<LastingGoal> lasting_goal(EngineCore& core, const ScopeKey& scope);

/// Writes what a decision made of it, where that is something else. A goal that could not be kept costs no prompt.
void keep_goal(EngineCore& core, const ScopeKey& scope, const LastingGoal& before, const PlannerDecision& decision);

}  // namespace weft
