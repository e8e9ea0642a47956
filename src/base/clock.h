#pragma once

#include <chrono>

#include "weft/time.h"

namespace weft {

/// The time of day, injected so that tests do not sleep and the same input gives the same bytes.
/// `now` may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

/// The system's clock with the system's zone.
class SystemClock final : public Clock {
 public:
  Time now() const override;
};

/// Milliseconds since construction, for timing steps.
class Stopwatch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }
  void restart() { start_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace weft
