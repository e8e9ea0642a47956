#include "surface/access/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace weft {
namespace {

constexpr std::size_t kMostCallers = 10'000;
constexpr double kMinuteMs = 60'000;

double ms_between(RateLimit::Clock::time_point from, RateLimit::Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

}  // namespace

void RateLimit::forget_full(Clock::time_point now) {
  std::erase_if(buckets_, [&](const auto& entry) { return ms_between(entry.second.filled, now) >= kMinuteMs; });
  // All of them busy within a minute: then nobody's past is remembered rather than memory without end.
  if (buckets_.size() >= kMostCallers) buckets_.clear();
}

std::chrono::milliseconds RateLimit::take(std::string_view caller, Clock::time_point now) {
  if (per_minute_ <= 0) return {};
  const std::lock_guard lock(mutex_);
  if (buckets_.size() >= kMostCallers) forget_full(now);
  auto [at, fresh] = buckets_.try_emplace(std::string(caller), Bucket{per_minute_, now});
  Bucket& bucket = at->second;
  if (!fresh) {
    bucket.left = std::min(per_minute_, bucket.left + ms_between(bucket.filled, now) * per_minute_ / kMinuteMs);
    bucket.filled = now;
  }
  if (bucket.left >= 1) {
    bucket.left -= 1;
    return {};
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil((1 - bucket.left) * kMinuteMs / per_minute_)));
}

}  // namespace weft
