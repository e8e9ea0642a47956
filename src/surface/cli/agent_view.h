#pragma once

#include <string>

#include "surface/cli/console.h"
#include "weft/agent_runs.h"

namespace weft::cli {

/// One event of a run for people, a line or a few; empty for what they need not see.
std::string told_event(const BusEvent& event, bool colours);

/// A run as it stands, with its open questions and what can be done now.
void print_run(Console& console, const AgentRun& run);

}  // namespace weft::cli
