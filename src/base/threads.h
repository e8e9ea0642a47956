#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "base/guarded.h"

namespace weft {

/// Runs `work` at the end of its life, also where something was thrown. `work` gives back a place, a flag or a count
/// that was taken by hand; it must not throw.
template <class Work>
class [[nodiscard]] AtEnd {
 public:
  explicit AtEnd(Work work) : work_(std::move(work)) {}
  ~AtEnd() { work_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Work work_;
};

/// Begins `work` on a thread and puts the thread into `into`. kUnavailable where the system gives no thread: `into` is
/// as it was, and the caller goes on with fewer threads or refuses what needed one. `what` names the thread.
template <class Thread, class Work>
Status start_thread(Thread& into, std::string_view what, Work&& work) {
  try {
    into = Thread(std::forward<Work>(work));
    return {};
  } catch (const std::exception& failure) {
    return unavailable(std::string(what) + ": the system gives no further thread: " + failure.what(),
                       "allow more threads or memory (ulimit -u, ulimit -v, the limit of pids of the container)");
  }
}

/// Lowers the scheduling priority of the calling thread for the rest of its life: it still gets a share of its core
/// while others want it, a small one. Linux alone does that by thread; elsewhere nothing changes.
void give_way();

}  // namespace weft
