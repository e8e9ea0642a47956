#pragma once

#include <string>
#include <vector>

#include "weft/config.h"
#include "weft/result.h"

namespace weft {

struct KnownOptions {
  std::size_t questions = 0;  ///< of each memory at most, spread evenly; 0: all
  std::string features;       ///< file for what every question found, one JSON object a line; empty: none
  bool fit = false;           ///< fits the curve anew and reports by it
  std::string vectors;        ///< file that keeps the vectors of all texts, see `VectorFile`; empty: none
  double refused = 0.05;      ///< share of own questions that a fitted curve refuses
};

/// Measures whether recall knows what it does not know. Each of `sets` is a folder or the beginning of file names as
/// for `run_eval_recall`, or the name of a set of passages (NAME.passages.jsonl), whose first and second half are two
/// memories. Every question is asked in its own memory, which answers it; in the next one of its set, with the
/// speakers' names exchanged for those of that memory ("near"); and in one of another set of its language ("far"). The
/// threshold is the configured one. Every second memory, or every second question where a set has only one, is held out
/// of fitting; the report is of these. Messages are indexed as the engine does it; topics are not made.
///
/// Gives the report as one line of JSON. Takes as long as embedding the messages does.
Result<std::string> run_eval_known(const Config& config, const std::vector<std::string>& sets,
                                   const KnownOptions& options);

}  // namespace weft
