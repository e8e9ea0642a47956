#pragma once

#include <atomic>
#include <memory>

#include "base/clock.h"

namespace weft::test {

/// A clock that stands still until it is told to go on. Copies show the same time.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(std::int64_t ms = 1'772'400'000'000) : ms_(std::make_shared<std::atomic<std::int64_t>>(ms)) {}
  Time now() const override { return {ms_->load(), *offset_}; }
  void set(Time time) {
    *ms_ = time.ms;
    *offset_ = time.offset_minutes;
  }
  void advance_minutes(std::int64_t minutes) { *ms_ += minutes * 60'000; }

 private:
  std::shared_ptr<std::atomic<std::int64_t>> ms_;
  std::shared_ptr<std::atomic<std::int32_t>> offset_ = std::make_shared<std::atomic<std::int32_t>>(0);
};

}  // namespace weft::test
