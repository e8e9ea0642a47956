#include "base/random_id.h"

#include <string_view>

namespace weft {

std::mt19937_64& thread_chance() {
  static thread_local std::mt19937_64 made{(std::uint64_t{std::random_device{}()} << 32) | std::random_device{}()};
  return made;
}

std::string random_hex(std::size_t digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  while (id.size() < digits)
    for (std::uint64_t bits = thread_chance()(), i = 0; i < 16; ++i, bits >>= 4) id += kDigits[bits & 15];
  id.resize(digits);
  id[0] = id[0] == '0' ? '1' : id[0];  // all zeros are no id
  return id;
}

}  // namespace weft
