#pragma once

#include <filesystem>

namespace weft {

/// The folder of what was installed with the program or the library that this code stands in, PREFIX/share/weft: found
/// from where that stands now, so that an installation may be moved. Empty: it was not installed, as in a build tree.
std::filesystem::path installed_share();

/// Likewise for a program in bin/ or a library in lib/ or lib/ARCHITECTURE/, by its absolute path.
std::filesystem::path installed_share_of(const std::filesystem::path& binary);

}  // namespace weft
