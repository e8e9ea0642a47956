#pragma once

#include <cstdint>

namespace weft {

/// Cores that nobody computes on at this moment, the calling thread's own counted as free: from 0 on a machine with
/// more to do than cores to `hardware_concurrency` on one that rests. Where the system does not say: all of them. A few
/// microseconds; safe from any thread.
std::int64_t idle_cores();

}  // namespace weft
