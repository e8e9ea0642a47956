#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "text/time_expressions.h"

namespace weft {

/// The times that a text names as if it had been said at each of these moments, in their order: each list is what
/// `find_time_expressions` gives for its moment. The words are read once for all. Safe from any thread.
std::vector<std::vector<TimeExpression>> find_times_at_each(std::string_view text, std::span<const Time> moments);

/// The one time that a whole text names, as the bound of a search does: "June", "since last week", 夏天. Of the moments
/// that it may mean, the latest that has begun. Nothing for a text that names no time or says more.
std::optional<TimeExpression> read_past_time(std::string_view text, Time spoken);

}  // namespace weft
