#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weft/result.h"

namespace weft {

/// The name, without ".md", under which an id's profile lies: `encode_file_name`, and names that Windows keeps for
/// devices ("con") with their first letter encoded, since workspaces are copied. kInvalidArgument for ids that are
/// none.
Result<std::string> profile_file_name(std::string_view id);

/// The id of a name; nothing if the name is not one that `profile_file_name` gives, or is one that was shortened.
std::optional<std::string> profile_id_of(std::string_view file_name);

}  // namespace weft
