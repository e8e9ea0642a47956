#include "agent/loop_run.h"

#include <algorithm>

namespace weft {

Status LoopRun::collect() {
  for (const BusEvent& event : parts.bus.since(state.last)) WEFT_CHECK(state.apply(event));
  return {};
}

std::chrono::milliseconds LoopRun::time_left() const {
  const auto here = std::chrono::steady_clock::now() - began_ - waited_;
  const double before = worked_before_ - state.before.ms;
  const double used = std::chrono::duration<double, std::milli>(here).count() + std::max(0.0, before);
  return std::chrono::milliseconds(
      std::max<std::int64_t>(0, state.start.limits.seconds * 1000 - static_cast<std::int64_t>(used)));
}

}  // namespace weft
