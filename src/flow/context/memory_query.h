#pragma once

#include <string>
#include <string_view>

#include "weft/task.h"

namespace weft {

/// What memory is asked with for an input. The task says what the input is about where that is short: "go on".
std::string memory_query(std::string_view input, const TaskState& task);

}  // namespace weft
