#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/strings.h"

namespace weft {

/// The byte at which the text stops being UTF-8 (overlong forms and surrogates count as broken), or nothing if it is
/// valid.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// The text with every broken sequence replaced by U+FFFD and NUL removed.
std::string repair_utf8(std::string_view text);

/// At most `max_bytes` of the beginning, never splitting a character as people see it (a letter with its combining
/// marks, an emoji with its modifiers).
std::string_view cut_bytes(std::string_view text, std::size_t max_bytes);

/// The first `max` characters as people see them, with "…" behind where something was cut; line breaks become spaces.
std::string preview(std::string_view text, std::size_t max);

/// Whether a code point is written without spaces between words: Han, Hiragana, Katakana, Bopomofo.
bool is_cjk(char32_t c);

/// The code point at `at` and `at` moved behind it; U+FFFD for a broken byte.
char32_t next_code_point(std::string_view text, std::size_t& at);

/// Writes a code point behind the text.
void append_code_point(std::string& text, char32_t c);

/// What a character is to those who read words.
enum class CharKind : std::uint8_t {
  kOther,   ///< spaces, punctuation, signs
  kDigit,   ///< 0 to 9; digits of other scripts are letters, since nothing computes with them
  kLetter,  ///< also the marks that belong to letters, and numbers such as ² and Ⅳ
  kCjk,     ///< of a script that is written without spaces, see `is_cjk`
  kEmoji,
};

/// The same for characters beyond ASCII, by Unicode's properties.
CharKind kind_beyond_ascii(char32_t c);

inline CharKind kind_of(char32_t c) {
  if (c >= 0x80) return kind_beyond_ascii(c);
  if (is_digit(c)) return CharKind::kDigit;
  return is_letter(c) ? CharKind::kLetter : CharKind::kOther;
}

/// Letters and digits, of which words are made.
inline bool is_word_character(char32_t c) {
  const CharKind kind = kind_of(c);
  return kind == CharKind::kLetter || kind == CharKind::kDigit;
}

/// The bytes of an apostrophe, ' or ’, at a place of the text; 0 where none stands.
inline std::size_t apostrophe_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  return rest.starts_with('\'') ? 1 : rest.starts_with("\u2019") ? 3 : 0;
}

}  // namespace weft
