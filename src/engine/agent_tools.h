#pragma once

#include <memory>
#include <vector>

#include "agent/tool.h"
#include "engine/services.h"

namespace weft {

/// memory_search, memory_profile, state_get, state_apply and end, for one run.
std::vector<std::shared_ptr<Tool>> memory_tools_of(const Services& services);

}  // namespace weft
