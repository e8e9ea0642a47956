#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weft/growth.h"

namespace weft {

/// The phrase by which a piece of advice makes things less safe: putting rules or guards out of force, doing without
/// permission, giving away rights or secrets. None where it does not, also where the same words are negated ("never
/// skip the safety check"). By words of both languages, see lexicon/*/safety.txt; cautious: who doubts refuses.
std::optional<std::string> loosens_safety(std::string_view advice);

/// Whether the advice does nothing but forbid, or ask before, so that following it cannot do harm by itself.
bool only_restricts(std::string_view advice);

/// How two pieces of advice on one matter differ so that both cannot be followed.
enum class Conflict { kNone, kPolarity, kNumber };
std::string_view to_string(Conflict conflict);

/// Looks at those clauses of the two that share most of their words: one says to do what the other says not to do
/// ("skip" and "do not" cancel out), or they differ in a number alone. That both are on one matter is for the caller to
/// know.
Conflict conflict_between(std::string_view a, std::string_view b);

/// Outcome of a task as far as it is known: a verifier counts before the user, and the user before the model.
Outcome settled_outcome(const TaskReport& report);

/// The same, where somebody else than the model says so: by its own word alone nothing is promoted and nothing ends.
Outcome witnessed_outcome(const TaskReport& report);

/// Whether somebody who is believed bears witness: an own run, or the user.
bool is_trusted(Provenance provenance);

}  // namespace weft
