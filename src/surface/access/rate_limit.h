#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace weft {

/// A bucket of tokens for each caller: so many requests a minute on average, and as many at once. Safe from many
/// threads. At most some ten thousand callers are remembered; those that were quiet the longest are forgotten, whose
/// buckets are full anyway.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  /// 0: no limit.
  explicit RateLimit(std::size_t per_minute) : per_minute_(static_cast<double>(per_minute)) {}

  /// Zero where the request may go on, else how long its caller should wait.
  std::chrono::milliseconds take(std::string_view caller, Clock::time_point now = Clock::now());

 private:
  struct Bucket {
    double left = 0;
    Clock::time_point filled;
  };
  void forget_full(Clock::time_point now);

  const double per_minute_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace weft
