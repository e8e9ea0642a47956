#pragma once

#include <cstddef>
#include <string_view>

#include "base/strings.h"

namespace weft {

/// The bytes of the blank at `at`: white space, the wide space of Chinese texts (U+3000) or the no-break space
/// (U+00A0); 0 where none stands there.
constexpr std::size_t blank_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kWhite = " \t\r\n\f\v", kWide = "\u3000", kNoBreak = "\u00A0";
  if (at >= text.size()) return 0;
  if (kWhite.find(text[at]) != std::string_view::npos) return 1;
  return starts_at(text, at, kWide) ? kWide.size() : starts_at(text, at, kNoBreak) ? kNoBreak.size() : 0;
}

/// The bytes of the blank that ends the first `end` bytes of a text.
constexpr std::size_t blank_before(std::string_view text, std::size_t end) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{3}})
    if (size <= end && blank_at(text, end - size) == size) return size;
  return 0;
}

/// The text without such blanks before and behind it, as a view into it.
constexpr std::string_view without_blanks(std::string_view text) {
  while (const std::size_t size = blank_at(text, 0)) text.remove_prefix(size);
  while (const std::size_t size = blank_before(text, text.size())) text.remove_suffix(size);
  return text;
}

}  // namespace weft
