#pragma once

#include <sys/types.h>

#include <filesystem>

#include "weft/result.h"

namespace weft {

/// Makes a folder that its owner alone may look into, and its parents as `make_folder` does. A folder that is there
/// keeps the rights that it has.
Status make_private_folder(const std::filesystem::path& path);

/// The rights of something new in a folder: `wanted`, but no wider for the group and for others than the folder's own.
/// So what stands in a private workspace stays private where it is copied or moved to.
mode_t mode_within(const std::filesystem::path& folder, mode_t wanted);

}  // namespace weft
