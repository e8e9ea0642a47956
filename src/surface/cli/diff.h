#pragma once

#include <string>

#include "surface/cli/globals.h"

namespace weft::cli {

/// Prints what changed between two versions, {"diff": …} with --json.
void print_diff(const Globals& globals, const std::string& diff);

}  // namespace weft::cli
