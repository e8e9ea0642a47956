#include "base/threads.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#ifdef __linux__
#include <sched.h>
#include <sys/resource.h>
#endif

namespace weft {

void give_way() {
#ifdef __linux__
  // A third of the weight of a usual thread where both want one core: what nobody waits for must not starve. For Linux
  // a thread is a process here, and 0 is the calling one.
  constexpr int kNicer = 5;
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kNicer);
  // Waking a thread of this kind does not preempt the call that wakes it.
  const sched_param none{};
  if (sched_getscheduler(0) == SCHED_OTHER) sched_setscheduler(0, SCHED_BATCH, &none);
#endif
}

std::int64_t idle_cores() {
  const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  // "0.20 0.18 0.12 1/80 11206": the threads that run or could, of all.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/loadavg", "re"), &std::fclose);
  long long running = 0;
  if (!file || std::fscanf(file.get(), "%*s %*s %*s %lld/", &running) != 1 || running < 1) return cores;
  return std::max<std::int64_t>(0, cores - (static_cast<std::int64_t>(running) - 1));
}

}  // namespace weft
