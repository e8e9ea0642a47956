#pragma once

#include <stdexcept>

#include "base/clock.h"

namespace weft::test {

/// A clock that stands still, and in which something breaks off when this thread asks it so often: a place behind each
/// step that looks at the time, where an exception can come from.
class FailingClock final : public Clock {
 public:
  static constexpr int kNever = -1;

  Time now() const override {
    if (left_ != kNever && left_-- == 0) throw std::runtime_error("broken off");
    return {1'772'400'000'000, 0};
  }
  /// The call of this number on this thread (0: the next one) throws.
  static void fail_at(int number) { left_ = number; }
  /// Whether it has thrown; from now on it does not.
  static bool has_failed() {
    const bool failed = left_ == kNever;
    left_ = kNever;
    return failed;
  }

 private:
  inline static thread_local int left_ = kNever;
};

}  // namespace weft::test
