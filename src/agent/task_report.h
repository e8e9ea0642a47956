#pragma once

#include <span>
#include <string>
#include <vector>

#include "weft/agent.h"

namespace weft {

/// What became of a run, from its events: a step for each call, and one for each answer that is text alone. Events that
/// say nothing of their type are passed over. `calls`, unless null, gets the call of each step, empty for text.
TaskReport report_of(std::span<const BusEvent> events, std::vector<std::string>* calls = nullptr);

}  // namespace weft
