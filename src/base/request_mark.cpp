#include "base/request_mark.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/random_id.h"

namespace weft {
namespace {

constexpr std::size_t kLongestId = 128;

}  // namespace

bool is_request_id(std::string_view text) {
  const auto fits = [](char c) {
    return is_digit(c) || is_letter(c) || std::string_view("-_.:").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= kLongestId && std::all_of(text.begin(), text.end(), fits);
}

std::string new_request_id() {
  constexpr std::size_t kDigits = 32;
  return random_hex(kDigits);
}

}  // namespace weft
