#pragma once

#include <filesystem>

#include "eval/bench.h"

namespace weft {

/// Erases one of `messages` messages of a scope while eight callers write to it: how long each of their calls waits,
/// and the longest.
Status bench_erase(const Config& config, const std::filesystem::path& folder, std::int64_t messages,
                   BenchReport& report);

}  // namespace weft
