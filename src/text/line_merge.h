#pragma once

#include <string>
#include <string_view>

namespace weft {

/// Does to `now` what has to be done to `base` to get `wanted`, line by line. What was changed since `base` stays:
/// lines that were added are there, lines that were taken out or changed are not put back, and where both changed the
/// same line, that of `now` stands. Where `now` is `base` the result is `wanted`, byte for byte, and the other way
/// round.
std::string merge_lines(std::string_view base, std::string_view now, std::string_view wanted);

}  // namespace weft
