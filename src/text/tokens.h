#pragma once

#include <cstdint>
#include <string_view>

#include "weft/choices.h"

namespace weft {

/// Estimated number of tokens, rounded up; 0 only for the empty text. Safe from any thread. `kExact` counts as
/// `kScript` here.
std::int64_t estimate_tokens(std::string_view text, TokenMode mode);

}  // namespace weft
