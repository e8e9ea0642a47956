#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::test {

/// So deep nothing that comes from outside may lead a reader: each level that it walks down by a call of its own costs
/// it a piece of the stack.
inline constexpr std::size_t kDeep = 200'000;

/// `open` so many times, what is inside, and `close` as often.
inline std::string nested(std::string_view open, std::string_view inside, std::string_view close,
                          std::size_t levels = kDeep) {
  std::string text;
  text.reserve(levels * (open.size() + close.size()) + inside.size());
  for (std::size_t i = 0; i < levels; ++i) text += open;
  text += inside;
  for (std::size_t i = 0; i < levels; ++i) text += close;
  return text;
}

/// Whether a sanitizer slows everything down.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Bytes of a text that is large: whoever is not linear in it is found out. Less under a sanitizer.
inline constexpr std::size_t kLargeText = kSanitized ? 1U << 16U : 1U << 20U;

}  // namespace weft::test
