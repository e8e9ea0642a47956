#pragma once

#include <string>
#include <vector>

#include "base/deadline.h"
#include "flow/context/template_catalog.h"
#include "ports/chat/chat_model.h"
#include "weft/plan.h"
#include "weft/quest.h"
#include "weft/result.h"

namespace weft {

/// What the planner's model is asked about.
struct PlannerQuestion {
  const std::string& input;
  const std::string& last_turn;
  const std::vector<Quest>& quests;
  const PlanContext& draft;  ///< what was decided without the model
  const std::vector<TemplateInfo>* templates = nullptr;  ///< of which it may choose; null: the draft's stays
};

/// Asks the model for a better plan than the draft. Whether the stream runs at all stays: it is not for a model to
/// choose. Errors: the model's, kTimeout where its answer came late, and what `parse_plan` and
/// `check_plan` find. Safe from any thread.
Result<PlanContext> ask_planner(const PlannerQuestion& question, ChatModel& model, const Deadline& deadline);

}  // namespace weft
