#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/states.h"
#include "flow/context/build_context.h"
#include "flow/context/planner.h"
#include "flow/context/skeleton.h"

namespace weft {

struct EngineCore;
struct PlanScene;

/// The skeleton of a planned prompt: state, active quests and guidance through a template. Safe from any thread.
class SkeletonStream {
 public:
  SkeletonStream(EngineCore& core, States& states);

  /// The whole skeleton.
  Result<std::string> render(const PlanScene& scene, const PlanContext& plan);

  /// With what matters now, in about so many tokens.
  Result<std::string> shorter(const PlanScene& scene, const PlanContext& plan, std::int64_t tokens);

  /// How the model writes changes of the state; empty where there is no state, or it is not to be told.
  std::string state_guide(const PlanScene& scene, const ContextInput& input);

  /// What was to be changed and was not, for the model to tell; empty: nothing.
  static std::string notice(const PlanScene& scene, const PlannerDecision& decision);

  /// Whether there is such a template.
  Status check(std::string_view template_id) { return skeleton_.check(template_id); }

  /// The templates that there are.
  auto catalog() const { return skeleton_.catalog(); }

 private:
  EngineCore& core_;
  States& states_;
  Skeleton skeleton_;
};

}  // namespace weft
