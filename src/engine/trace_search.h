#pragma once

#include <cstddef>
#include <filesystem>
#include <set>

namespace weft {

class Traces;

/// Which pieces of erased texts stand in a file of any size, which is read a part at a time. An archive, as
/// `weft export --archive` writes it, is looked through file by file: compressed, nothing in it would be known again.
std::set<std::size_t> pieces_in(const std::filesystem::path& path, const Traces& traces);

}  // namespace weft
