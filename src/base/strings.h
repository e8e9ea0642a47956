#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
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

// Classes and case of ASCII characters, whatever the locale; bytes and code points beyond ASCII belong to no class and
// stay as they are.

template <class Char>
constexpr bool is_digit(Char c) {
  return c >= Char{'0'} && c <= Char{'9'};
}

template <class Char>
constexpr bool is_lower(Char c) {
  return c >= Char{'a'} && c <= Char{'z'};
}

template <class Char>
constexpr bool is_upper(Char c) {
  return c >= Char{'A'} && c <= Char{'Z'};
}

template <class Char>
constexpr bool is_letter(Char c) {
  return is_lower(c) || is_upper(c);
}

template <class Char>
constexpr Char to_lower(Char c) {
  return is_upper(c) ? static_cast<Char>(c - Char{'A'} + Char{'a'}) : c;
}

template <class Char>
constexpr Char to_upper(Char c) {
  return is_lower(c) ? static_cast<Char>(c - Char{'a'} + Char{'A'}) : c;
}

/// A text with its ASCII letters in lower case; all other bytes stay.
inline std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_lower<char>);
  return out;
}

/// Whether the whole text fits the pattern, in which '*' stands for any text and `same(of the pattern, of the text)`
/// says which characters are alike. Time is at most the product of both lengths, however many stars there are.
template <class Same>
bool glob(std::string_view pattern, std::string_view text, const Same& same) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && same(pattern[p], text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      // What the last star stands for becomes longer; earlier ones need not be tried again.
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// How many bytes must be added, left out or changed to make one text the other. The product of both lengths in time:
/// for names.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The value of a hexadecimal digit of either case; -1 for any other character.
int hex_value(char c);

/// Decodes %XX (and, in queries, '+'); broken escapes stay as they are.
std::string percent_decode(std::string_view text, bool plus_is_space = false);

/// This thread's source of chance, begun with the system's. Not for secrets.
std::mt19937_64& thread_chance();

/// So many hexadecimal digits by chance, in lower case, not all of them zero.
std::string random_hex(std::size_t digits);

}  // namespace weft
