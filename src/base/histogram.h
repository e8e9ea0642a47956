#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace weft {

/// How long something took, counted by bounds, so that an operator can see the slow ones. Safe from any thread.
class Histogram {
 public:
  /// Seconds; what took longer than the last stands behind it.
  static constexpr std::array<double, 17> kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                                     1,     2.5,    5,     10,   30,    60,   120, 300};

  void add(double seconds) {
    std::size_t at = 0;
    while (at < kBounds.size() && seconds > kBounds[at]) ++at;
    ++counts_[at];
    micros_ += static_cast<std::uint64_t>(seconds * 1e6);
  }
  std::uint64_t count(std::size_t bound) const { return counts_[bound]; }  ///< between this bound and the one before
  double seconds() const { return static_cast<double>(micros_) / 1e6; }  ///< of all together

 private:
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
  std::atomic<std::uint64_t> micros_{0};
};

/// Adds the time of its life.
class Timed {
 public:
  explicit Timed(Histogram& histogram) : histogram_(histogram) {}
  ~Timed() { histogram_.add(clock_.ms() / 1000); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Histogram& histogram_;
  Stopwatch clock_;
};

}  // namespace weft
