#pragma once

#include <span>
#include <string>
#include <vector>

#include "flow/memory/likeness.h"
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

}  // namespace weft
