#pragma once

#include <string>
#include <vector>

#include "eval/drift.h"
#include "surface/cli/globals.h"

namespace weft::cli {

struct DriftCommand {
  std::vector<std::string> files;  ///< runs as JSON Lines
  std::string probes;              ///< further golden probes as JSON Lines, for the runs; empty: none
  DriftOptions options;
  bool shipped = true;             ///< evaluate the shipped sessions too
};

/// `weft eval drift`: compacts every run and every shipped session with `reduce`, prints the report (as JSON where
/// `globals` says so) and gives kFailed, naming each on stderr, where a threshold is missed. `model` may be null.
int eval_drift(const Globals& globals, const DriftCommand& command, const Reduce& reduce, const TokenCounter& tokens,
               ChatModel* model);

}  // namespace weft::cli
