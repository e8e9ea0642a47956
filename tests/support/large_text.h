#pragma once

#include <cstddef>

namespace weft::test {

/// Whether a sanitizer slows everything down.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Bytes of a text that is large: whoever is not linear in it is found out. Less under a sanitizer.
inline constexpr std::size_t kLargeText = kSanitized ? 1U << 16U : 1U << 20U;

}  // namespace weft::test
