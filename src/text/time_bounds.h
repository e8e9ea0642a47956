#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// The offset from UTC in minutes that a zone has at a moment. A zone is a name of the tz database ("Asia/Shanghai"),
/// "UTC", "Z", or an offset ("+08:00", "UTC+8"). kInvalidArgument for what names no zone.
Result<std::int32_t> zone_offset(std::string_view zone, std::int64_t ms);

/// Of which edition of the tz database the zones are, such as "2025b"; empty where there is none.
std::string zone_data_version();

/// The zone that a time was given in, as far as its offset tells: "UTC", "+08:00".
std::string zone_of(Time time);

/// A span of time, both ends inclusive; an end that is open has no value.
struct TimeBounds {
  std::optional<Time> from, to;
};

/// A field of a request, and what it says about a time.
struct TimeField {
  std::string_view name, text;
};

/// Reads what a person or a model gives as a time to search by: RFC 3339, a date, or an expression such as "last week",
/// 三月, "since Monday". An expression spans all it means; what is said without its year or week is the past one.
/// kInvalidArgument for what is not a time.
Result<TimeBounds> read_time_bounds(std::string_view text, Time now);

/// The same of a field, which the error names; an empty one has no bounds.
Result<TimeBounds> read_time_field(const TimeField& field, Time now);

/// The span from the beginning of one to the end of another; either may be empty. "From Friday to Monday" is one
/// weekend. kInvalidArgument where the end lies before the beginning.
Result<TimeBounds> read_time_span(const TimeField& from, const TimeField& to, Time now);

}  // namespace weft
