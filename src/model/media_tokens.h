#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

/// What images, sounds and files in a message's JSON take of a window, roughly: servers count them in ways of their
/// own. `raw_message` must be JSON that has been checked, or empty.
std::int64_t media_tokens(std::string_view raw_message);

}  // namespace weft
