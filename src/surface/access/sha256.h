#pragma once

#include <string>
#include <string_view>

namespace weft {

/// The SHA-256 digest of a text, in hexadecimal; empty where it could not be made.
std::string sha256_of(std::string_view text);

}  // namespace weft
