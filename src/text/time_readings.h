#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "text/time_expressions.h"

namespace weft {

/// The times that a text names as if it had been said at each of these moments, in their order: each list is what
/// `find_time_expressions` gives for its moment. The words are read once for all. Safe from any thread.
std::vector<std::vector<TimeExpression>> find_times_at_each(std::string_view text, std::span<const Time> moments);

}  // namespace weft
