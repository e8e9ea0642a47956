#pragma once

#include <string>
#include <string_view>

namespace weft {

/// The value of a hexadecimal digit of either case; -1 for any other character.
int hex_value(char c);

/// Decodes %XX (and, in queries, '+'); broken escapes stay as they are.
std::string percent_decode(std::string_view text, bool plus_is_space = false);

}  // namespace weft
