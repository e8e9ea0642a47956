#pragma once

#include <string>
#include <string_view>

namespace weft {

/// The text with each character that ends a line (of ASCII or of Unicode) replaced by `by`: nothing in it begins a line
/// of its own where that says so.
std::string with_line_breaks_as(std::string_view by, std::string_view text);

}  // namespace weft
