#pragma once

#include "surface/cli/command_line.h"

namespace weft::cli {

/// weft research.
void add_research(CommandLine& line);

}  // namespace weft::cli
