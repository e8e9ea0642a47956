#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace weft
