#pragma once

namespace weft {

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

}  // namespace weft
