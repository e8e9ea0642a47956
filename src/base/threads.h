#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

/// Threads at work in a library that cannot be interrupted, such as one that reads the vocabulary of a model. A program
/// that ends by `end_process` need not wait for them: nothing that they use is destroyed while they work. A program
/// that ends otherwise must wait, which is the default.
struct LeftThreads {
  static inline std::atomic<bool> allowed = false;  ///< set by `main`
  static inline std::atomic<int> count = 0;  ///< threads that nobody waits for
};

/// The last thing that `main` does. Gives `code` back, or ends the process at once where a thread was left.
inline int end_process(int code) {
  if (LeftThreads::count == 0) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

/// Cores that nobody computes on at this moment, the calling thread's own counted as free: from 0 on a machine with
/// more to do than cores to `hardware_concurrency` on one that rests. Where the system does not say: all of them. A few
/// microseconds; safe from any thread.
std::int64_t idle_cores();

}  // namespace weft
