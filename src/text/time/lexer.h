#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::timex {

inline bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}
inline bool starts_with_one(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return text.starts_with(word); });
}
inline bool ends_with_one(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return text.ends_with(word); });
}

enum class TokenKind : std::uint8_t { kDigits, kLetters, kHan, kMark };

/// A run of digits, a run of letters, one Chinese character or one mark.
struct Token {
  std::string text;  ///< folded: lower case, half width, simplified, apostrophes inside words left out
  std::size_t begin = 0, end = 0;  ///< bytes of the text
  TokenKind kind = TokenKind::kMark;
  bool glued = false;  ///< nothing stands between it and the token before
  bool capital = false;  ///< written with a capital first
  std::uint32_t word = 0;  ///< its number in the grammar's vocabulary; 0 is a word of no rule
};

/// The tokens of a text in order; white space is left out. Broken UTF-8 becomes marks. Linear.
std::vector<Token> tokenize_times(std::string_view text);

/// Whether a token is a mark that ends a sentence wherever it stands.
bool ends_sentence(const Token& token);

/// Whether a sentence is over behind this token: a full stop may as well belong to a number or a short form.
bool ends_sentence(const std::vector<Token>& tokens, std::size_t at);

/// Whether no sentence ends from one token up to before another.
bool in_one_sentence(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

}  // namespace weft::timex
