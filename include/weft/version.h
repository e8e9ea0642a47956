#pragma once

#include <string_view>

namespace weft {

/// Of this library, as the changelog names it.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace weft
