#pragma once

#include <optional>
#include <string_view>

#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// A span of time, both ends inclusive; an end that is open has no value.
struct TimeBounds {
  std::optional<Time> from, to;
};

/// Reads what a person or a model gives as a time to search by: RFC 3339, a date, or an expression such as "last week",
/// 三月, "since Monday". An expression spans all it means. kInvalidArgument for what is no time.
Result<TimeBounds> read_time_bounds(std::string_view text, Time now);

/// The span from the beginning of one to the end of another; either may be empty. kInvalidArgument where the end lies
/// before the beginning.
Result<TimeBounds> read_time_span(std::string_view from, std::string_view to, Time now);

}  // namespace weft
