#pragma once

#include <string_view>
#include <vector>

namespace weft {

/// Fitted vectors as they ship in the sources: signed bytes, two hexadecimal digits each in lower case, times a step.
std::vector<float> read_signed_bytes(std::string_view hex, float step);

}  // namespace weft
