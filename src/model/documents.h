#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/json.h"
#include "weft/profile.h"
#include "weft/quest.h"
#include "weft/result.h"

namespace weft {

/// Reads the text of a profile file. `expected` is whose file it is: it stands in for a missing front matter, and a
/// file that names another entity is refused, so that a copied file never mixes two people up. kCorrupt names the line.
Result<Profile> parse_profile(std::string_view file, const EntityKey& expected);

/// The text of a profile file: Weft's keys in a fixed order, then the others, then the body. kInvalidArgument for what
/// would not come back as it is, such as text that is not UTF-8.
Result<std::string> write_profile(const Profile& profile);

/// Reads one quest. "id" is needed; "name" is taken for "title", "description" for "objective", "requires" and
/// "depends_on" for "prerequisites", "unlocks" for "successors". A list may be one word. Unknown fields are errors, as
/// a misspelt "prerequisites" would open a quest to everybody. Errors begin with `where`.
Result<Quest> read_quest(const Value& value, std::string_view where);

/// Reads `{"quests": [...]}`, `[...]`, or one object of quests by their ids. The error is that of the first wrong one.
Result<std::vector<Quest>> read_quests(const Value& value);

std::string to_json(const std::vector<Quest>& quests);

}  // namespace weft
