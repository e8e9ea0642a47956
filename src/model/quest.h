#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/value.h"
#include "weft/quest.h"

namespace weft {

/// Reads one quest. "id" is needed; "name" is taken for "title", "description" for "objective", "requires" and
/// "depends_on" for "prerequisites", "unlocks" for "successors". A list may be one word. Unknown fields are errors, as
/// a misspelt "prerequisites" would open a quest to everybody. Errors begin with `where`.
Result<Quest> read_quest(const Value& value, std::string_view where);

/// Reads `{"quests": [...]}`, `[...]`, or one object of quests by their ids. The error is that of the first wrong one.
Result<std::vector<Quest>> read_quests(const Value& value);

std::string to_json(const std::vector<Quest>& quests);

}  // namespace weft
