#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

/// The same numbers on every machine, for drawing samples.
class Draw {
 public:
  explicit Draw(std::uint64_t seed = 1) : state_(seed) {}

  /// Below `limit`, which is not 0.
  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>((state_ >> 33U) % limit);
  }

  /// Of both ends and all between.
  std::size_t between(std::size_t least, std::size_t most) { return least + below(most - least + 1); }

  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace weft
