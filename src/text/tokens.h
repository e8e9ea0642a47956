#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

/// How tokens are counted where the model's own tokenizer is not at hand.
enum class TokenMode {
  kExact,   ///< by a tokenizer
  kScript,  ///< by writing system, fitted to real vocabularies: an English word about one token, a Chinese character
            ///< two thirds, a digit or a run of punctuation about one
  kChars4,  ///< every four characters one
};

std::string_view to_string(TokenMode mode);

/// Estimated number of tokens, rounded up; 0 only for the empty text. Safe from any thread. `kExact` counts as
/// `kScript` here.
std::int64_t estimate_tokens(std::string_view text, TokenMode mode);

}  // namespace weft
