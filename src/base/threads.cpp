#include "base/threads.h"

#ifdef __linux__
#include <sys/resource.h>
#endif

namespace weft {

void give_way() {
#ifdef __linux__
  // A third of the weight of a usual thread where both want one core: what nobody waits for must not starve. For Linux
  // a thread is a process here, and 0 is the calling one.
  constexpr int kNicer = 5;
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kNicer);
#endif
}

}  // namespace weft
