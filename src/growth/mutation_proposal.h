#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "flow/memory/likeness.h"
#include "ports/chat/chat_model.h"
#include "weft/growth.h"
#include "weft/task.h"

namespace weft {

/// A change of a skill that could be tried.
struct Proposal {
  MutationType type = MutationType::kParameter;
  std::string change, reason, risk, validation;
  Skill variant;  ///< the skill as changed; its id is the original's
};

/// The kind of a change, by what is different and not by what its maker says: numbers alone are A, the same steps in
/// another order B, other tools or another text of one step C, everything else D.
MutationType type_of_change(const Skill& original, const Skill& variant);

/// Changes that need no model, the least risky first: two or three values of a number in the steps; two neighbouring
/// steps of which the second does not build on the first; another tool that does what a step says. What was tried
/// already (`tried`: the texts of changes) is not proposed again. May be empty.
std::vector<Proposal> floor_proposals(const Skill& skill, std::span<const ToolInfo> tools, const Likeness& likeness,
                                      std::span<const std::string> tried);

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
