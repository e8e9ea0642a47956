#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "growth/mutation_floor.h"
#include "ports/chat/chat_model.h"
#include "weft/task.h"

namespace weft {

/// One use of a skill, as the model that proposes changes is told of it.
struct SkillRun {
  std::string task;
  bool success = false;
  UserReaction reaction = UserReaction::kNone;
  std::string trouble;  ///< tools that failed, a limit that ended it; empty: none
};

/// What a model proposed, or why it did not.
struct ModelProposals {
  std::vector<Proposal> proposals;
  std::string prompt, failed;
};

/// Asks a model for one to three changes. What it gives is checked: the kind of each is told by what is different, not
/// by what the model says, tools must be of the registry or the skill's own, and nothing may make things less safe.
ModelProposals model_proposals(ChatModel& model, const Skill& skill, std::span<const SkillRun> uses,
                               std::span<const ToolInfo> tools, const Deadline& deadline);

}  // namespace weft
