#pragma once

#include "eval/bench.h"

namespace weft {

/// Measures the parts of a prompt that need no store: the skeleton of a state of 10,000 entities, how far curation
/// overruns its time-out under a model that sleeps, and a compaction of 100,000 tokens without a model.
Status bench_context_parts(BenchReport& report);

}  // namespace weft
