#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/profile.h"
#include "weft/result.h"

namespace weft {

/// Reads the text of a profile file. `expected` is whose file it is: it stands in for a missing front matter, and a
/// file that names another entity is refused, so that a copied file never mixes two people up. kCorrupt names the line.
Result<Profile> parse_profile(std::string_view file, const EntityKey& expected);

/// The text of a profile file: Weft's keys in a fixed order, then the others, then the body. kInvalidArgument for what
/// would not come back as it is, such as text that is not UTF-8.
Result<std::string> write_profile(const Profile& profile);

}  // namespace weft
