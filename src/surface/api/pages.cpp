#include "surface/api/pages.h"

#include <charconv>

#include "surface/api/cursor.h"

namespace weft {
namespace {

constexpr char kBetween = '\x1f';          // stands in no id
constexpr std::size_t kTrail = 8;          // things before the last one that its place names
constexpr std::size_t kMaxPlace = 1500;    // bytes: a cursor stands in an address
constexpr std::size_t kNumberDigits = 19;  // of the largest number

}  // namespace

Result<std::int64_t> PageWanted::number() const {
  if (after.empty()) return 0;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(after.data(), after.data() + after.size(), value);
  if (error != std::errc() || end != after.data() + after.size() || value < 0) return no_cursor();
  return value;
}

Result<std::size_t> begin_of_page(std::span<const std::string> keys, ListOrder order, const PageWanted& wanted) {
  if (wanted.after.empty()) return 0;
  if (order == ListOrder::kByKey)
    return static_cast<std::size_t>(std::upper_bound(keys.begin(), keys.end(), wanted.after) - keys.begin());
  std::string_view left = wanted.after;
  while (!left.empty()) {
    const std::string_view key = left.substr(0, left.find(kBetween));
    left.remove_prefix(std::min(left.size(), key.size() + 1));
    const auto found = std::find(keys.begin(), keys.end(), key);
    if (found != keys.end()) return static_cast<std::size_t>(found - keys.begin()) + 1;
  }
  return conflict("what stood at the place of the \"cursor\" is gone from the list",
                  "leave the cursor out to begin anew");
}

std::string place_at(std::span<const std::string> keys, ListOrder order, std::size_t last) {
  std::string place = keys[last];
  if (order == ListOrder::kByKey) return place;
  for (std::size_t i = last; i > 0 && last - i < kTrail; --i) {
    if (place.size() + 1 + keys[i - 1].size() > kMaxPlace) break;
    place += kBetween + keys[i - 1];
  }
  return place;
}

void make_unique(std::vector<std::string>& keys) {
  std::map<std::string, std::int64_t> seen;
  for (std::string& key : keys) {
    const std::int64_t before = seen[key]++;
    if (before > 0) key += '\x1e' + number_key(before);
  }
}

std::string number_key(std::int64_t number) {
  const std::string digits = std::to_string(std::max<std::int64_t>(number, 0));
  return std::string(kNumberDigits - digits.size(), '0') + digits;
}

}  // namespace weft
