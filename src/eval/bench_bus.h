#pragma once

#include <filesystem>

#include "eval/bench.h"

namespace weft {

/// The stream of events of a run: how long an event takes until it is on disk, and how long a stream of a hundred
/// thousand events takes to be read again.
Status bench_bus(const std::filesystem::path& folder, BenchReport& report);

}  // namespace weft
