#pragma once

#include <span>
#include <string>
#include <vector>

#include "weft/growth.h"

namespace weft {

/// What a task is compared with: what the rule says, and the tasks that it was learnt from. A rule on how to use a tool
/// shares no word with what people ask for.
std::vector<std::string> matters_of(const Rule& rule);

/// Whether a rule in this stage is told at all.
bool is_live(LifeStage stage);

/// Whether this rule is told: a live one that nobody has switched off, and that past tasks do not hold back.
bool is_told(const Rule& rule);

/// "ID@VERSION", by which runs name what they were told.
std::string versioned_id(const Rule& rule);

/// Active rules as they stand in a prompt: a line each, the newest last, so that a new one changes nothing before it.
/// Empty where there are none.
std::string rules_text(std::span<const Rule> rules);
/// Rules on probation, marked as such.
std::string trial_rules_text(std::span<const Rule> rules);

}  // namespace weft
