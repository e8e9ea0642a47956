// What the planner works towards outlives the turn, the session and the process: one document a scope.
#include "engine/goals.h"

#include "base/log.h"
#include "engine/engine_core.h"
#include "text/value.h"

namespace weft {
namespace {

constexpr const char* kGoals = "goal";
constexpr const char* kGoal = "goal";

std::string text_in(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found != nullptr && found->text() != nullptr ? *found->text() : std::string();
}

}  // namespace

Result<LastingGoal> lasting_goal(EngineCore& core, const ScopeKey& scope) {
  LastingGoal goal;
  WEFT_TRY(const auto row, core.store->documents().newest(scope, kGoals, kGoal));
  if (!row) return goal;
  goal.version = row->version;
  if (row->body.empty()) return goal;
  WEFT_TRY(const auto body, parse_value(row->body, {.max_bytes = row->body.size() + 1}, "goal"));
  goal.text = text_in(body, "goal");
  goal.quest = text_in(body, "quest");
  return goal;
}

// Written where it changed. A goal that could not be kept costs no prompt.
void keep_goal(EngineCore& core, const ScopeKey& scope, const LastingGoal& before, const PlannerDecision& decision) {
  const std::string quest = decision.plan.active_quest_id.value_or("");
  if (decision.lasting_goal == before.text && quest == before.quest) return;
  WriteBatch batch;
  const Value body(ValueObject{{"goal", decision.lasting_goal}, {"quest", quest}});
  batch.documents.push_back({scope, kGoals, kGoal, before.version + 1, core.clock->now(),
                             std::string(to_string(decision.by)), to_json(body)});
  const Status written = core.store->write(batch);
  // Two turns at once: either goal may stand.
  if (!written.ok() && written.error().code != ErrorCode::kConflict)
    log_warning("planner.goal", written.error().message);
}

}  // namespace weft
