#pragma once

#include <vector>

#include "surface/api/operation.h"

namespace weft {

/// Researches: jobs, their events and their reports.
std::vector<Operation> research_operations();

}  // namespace weft
