#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace weft {

/// The values that an enum may have in settings and in JSON, in the order in which errors tell them; each has its word
/// by `to_string`. Specialised for each enum that stands for a closed choice.
template <class E>
inline constexpr std::span<const E> kEnumValues = {};

/// The value whose word this is; nothing where it is nobody's.
template <class E>
std::optional<E> enum_of(std::string_view word) {
  for (const E one : kEnumValues<E>)
    if (to_string(one) == word) return one;
  return std::nullopt;
}

}  // namespace weft
