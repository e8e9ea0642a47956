#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace weft {

/// What stands around words and parts lines.
inline constexpr std::string_view kBlanks = " \t\r\n";

constexpr bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

/// The text without the characters of `blanks` before and behind it, as a view into it.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = kBlanks) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Whether `what` stands in the text from this byte on.
constexpr bool starts_at(std::string_view text, std::size_t at, std::string_view what) {
  return at <= text.size() && text.substr(at).starts_with(what);
}

/// The lines of a text, as views into it and without their line feeds. A line feed at the end opens no further line.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace weft
