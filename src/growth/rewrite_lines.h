#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "ports/files/file_system.h"

namespace weft {

/// Puts what `line_of` gives in the place of each line of a file; where nothing changes nothing is written. A file that
/// is not there has no lines.
Status rewrite_lines(FileSystem& files, const std::filesystem::path& path,
                     const std::function<std::string(std::string_view line)>& line_of);

}  // namespace weft
