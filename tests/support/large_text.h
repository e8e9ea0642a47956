#pragma once

#include <cstddef>

namespace weft::test {

/// Bytes of a text that is large: whoever is not linear in it is found out. Less where a sanitizer slows everything
/// down.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::size_t kLargeText = 1U << 16U;
#else
inline constexpr std::size_t kLargeText = 1U << 20U;
#endif

}  // namespace weft::test
