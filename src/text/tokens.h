#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

/// How tokens are counted where the model's own tokenizer is not at hand.
enum class TokenMode {
  kExact,   ///< by a tokenizer
  kScript,  ///< a Chinese character about one token, four Latin letters about one, digits and symbols more
  kChars4,  ///< every four characters one
};

std::string_view to_string(TokenMode mode);

/// Estimated number of tokens, rounded up; 0 only for the empty text. `kExact` counts as `kScript` here.
std::int64_t estimate_tokens(std::string_view text, TokenMode mode);

}  // namespace weft
