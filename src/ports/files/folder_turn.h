#pragma once

#include <filesystem>

#include "ports/files/file.h"

namespace weft {

/// Takes turns over a folder with all who do so, of this process and of others: the turn lasts as long as the handle
/// lives. Makes the folder; waits.
Result<FileHandle> take_turn(const std::filesystem::path& folder);

}  // namespace weft
