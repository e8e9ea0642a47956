#include "base/fault_point.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "base/threads.h"

namespace weft {
namespace {

#define WEFT_POINT(point, name, text) FaultPointInfo{FaultPoint::point, name, text},
constexpr std::array kPoints{WEFT_FAULT_POINTS(WEFT_POINT)};
#undef WEFT_POINT

Sync<std::vector<Fault>>& armed() {
  static Sync<std::vector<Fault>> faults;
  return faults;
}

}  // namespace

std::span<const FaultPointInfo> fault_points() { return kPoints; }

void arm_faults(std::vector<Fault> faults) {
  auto all = armed().lock();
  fault::is_armed = !faults.empty();
  *all = std::move(faults);
}

namespace fault {

std::atomic<bool> is_armed = false;

Status pass(FaultPoint point, std::string_view detail, bool can_fail) {
  auto faults = armed().lock();
  for (Fault& one : *faults) {
    const bool is_meant = one.point == point && (one.detail.empty() || one.detail == detail);
    if (!is_meant || one.passes-- != 0) continue;
    if (one.action == FaultAction::kKill) {
      ::kill(::getpid(), SIGKILL);
      for (;;) ::pause();
    }
    if (can_fail)
      return unavailable(std::string(kPoints[static_cast<std::size_t>(point)].name) + ": a test lets this step fail");
  }
  return {};
}

}  // namespace fault
}  // namespace weft
