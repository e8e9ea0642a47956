#pragma once

#include <cstddef>
#include <string_view>

namespace weft {

/// How many bytes must be added, left out or changed to make one text the other. The product of both lengths in time:
/// for names.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace weft
