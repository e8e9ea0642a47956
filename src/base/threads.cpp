#include "base/threads.h"

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

}  // namespace weft
