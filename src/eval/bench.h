#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/config.h"
#include "weft/result.h"

namespace weft {

/// Percentiles of one operation, in milliseconds, and how many of it are done a second by one caller.
struct BenchLine {
  std::string name;
  std::size_t runs = 0;
  double p50 = 0, p95 = 0, p99 = 0;
  double per_second = 0;
  std::string note;
};

struct BenchReport {
  std::vector<BenchLine> lines;
  double resident_mb = 0;   ///< of the process at the end, with the largest index and the embedder loaded
};

/// Measures the operations that people wait for, on made-up messages in a temporary workspace below
/// `config.workspace`'s parent folder: the durable queue against a bare fdatasync of the same bytes, observing without
/// and with embedding, search in scopes of 1,000, 10,000 … up to `items` items, weaving a context, opening.
Result<BenchReport> run_bench(const Config& config, std::int64_t items);

std::string to_json(const BenchReport& report);

/// The lines as a table for people.
std::string to_table(const BenchReport& report);

/// Percentiles of a list of times; reorders it.
BenchLine summarize(std::string name, std::vector<double>& times_ms, std::string note = {});

}  // namespace weft
