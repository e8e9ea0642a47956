#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace weft {

/// A text with its ASCII letters in lower case; all other bytes stay.
inline std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_lower<char>);
  return out;
}

}  // namespace weft
