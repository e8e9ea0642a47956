#pragma once

namespace weft {

// Classes of ASCII characters, whatever the locale; bytes and code points beyond ASCII belong to none.

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

}  // namespace weft
