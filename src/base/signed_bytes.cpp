#include "base/signed_bytes.h"

#include <cstdint>

namespace weft {
namespace {

int hex_digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

}  // namespace

std::vector<float> read_signed_bytes(std::string_view hex, float step) {
  std::vector<float> values;
  values.reserve(hex.size() / 2);
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int byte = hex_digit(hex[i]) * 16 + hex_digit(hex[i + 1]);
    values.push_back(static_cast<float>(static_cast<std::int8_t>(byte)) * step);
  }
  return values;
}

}  // namespace weft
