#pragma once

#include <string>

#include "surface/cli/globals.h"

namespace weft::cli {

class CommandLine;

/// What calls of models have cost.
struct UsageOptions {
  std::string from, to, by = "role,model";
  bool all = false;  ///< of the whole workspace, instead of the scope
};
int usage(const Globals& globals, const UsageOptions& options);

void add_usage(CommandLine& line);

}  // namespace weft::cli
