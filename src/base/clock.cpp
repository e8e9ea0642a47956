#include "base/clock.h"

#include <ctime>

namespace weft {

Time SystemClock::now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm local{};
  // Without a zone the moment is still right; only the day shown could differ.
  if (localtime_r(&seconds, &local) == nullptr) return Time{ms, 0};
  return Time{ms, static_cast<std::int32_t>(local.tm_gmtoff / 60)};
}

}  // namespace weft
