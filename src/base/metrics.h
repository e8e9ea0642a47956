#pragma once

#include <atomic>
#include <cstdint>

#include "base/histogram.h"

namespace weft {

/// What the engine counts since it was opened, for operators. Safe from any thread.
struct Metrics {
  std::atomic<std::size_t> jobs_in_work{0};  ///< taken, and not yet counted as done
  std::atomic<std::uint64_t> jobs_done{0}, jobs_retried{0}, jobs_failed{0};
  std::atomic<std::uint64_t> ends{0};  ///< calls that end a turn
  Histogram observe_time, sync_time, context_time, search_time, end_time;  ///< what callers waited
  Histogram job_time;  ///< spent on jobs that are done
  std::atomic<std::uint64_t> model_calls{0}, rewrites{0};  ///< asked of the historian's model, and answers not taken
  std::atomic<std::uint64_t> gate_passed{0}, gate_degraded{0};
  std::atomic<std::uint64_t> refused_empty_talk{0}, refused_duplicate{0}, refused_echo{0}, refused_loop{0};
  std::atomic<std::uint64_t> profiles_written{0};
  std::atomic<std::uint64_t> suspect_memories{0};  ///< told with a mark, since they read as if they gave orders
  std::atomic<std::uint64_t> compactions{0}, compactions_prepared{0}, compactions_failed{0};
};

}  // namespace weft
