#pragma once

#include <cstddef>

namespace weft {

/// Raises the process's own limit of open files, as far as the system allows, to what so many connections need; tells
/// the log where that is not far enough. For the start of a program.
void allow_open_files(std::size_t connections);

}  // namespace weft
