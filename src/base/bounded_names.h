#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace weft {

/// Names from outside as labels of metrics, which must stay few: the first ones are told as they are, further ones as
/// "other". An empty name is "none", a long one is cut. For one thread at a time.
class BoundedNames {
 public:
  explicit BoundedNames(std::size_t most) : most_(most) {}

  /// How the name is told. `earns`: it gets a place if there is one; else it is told as it is only where it has one.
  std::string told(std::string_view name, bool earns = true) {
    if (name.empty()) return "none";
    std::string own = shortened(name);
    if (known_.contains(own)) return own;
    if (!earns || known_.size() >= most_) return "other";
    known_.insert(own);
    return own;
  }
  /// The name gives up its place.
  void drop(const std::string& name) { known_.erase(shortened(name)); }

  /// A name that is not too long. No character is cut in two, which would spoil the whole text that it stands in.
  static std::string shortened(std::string_view name) {
    std::size_t end = std::min(name.size(), kLongest);
    constexpr unsigned kMask = 0xC0, kInner = 0x80;
    while (end < name.size() && end > 0 && (static_cast<unsigned char>(name[end]) & kMask) == kInner) --end;
    return std::string(name.substr(0, end));
  }

 private:
  static constexpr std::size_t kLongest = 120;  // bytes

  const std::size_t most_;
  std::set<std::string> known_;
};

}  // namespace weft
