#pragma once

#include <filesystem>
#include <string_view>

#include "weft/ids.h"

namespace weft {

/// The folder below `workspace` where files of one scope lie for people to read: NAME for the scope of the command's
/// own user ("user:default"), NAME/users/ID or NAME/groups/ID for others, ids encoded so that none leaves its folder.
std::filesystem::path scope_folder(const std::filesystem::path& workspace, std::string_view name,
                                   const ScopeKey& scope);

}  // namespace weft
