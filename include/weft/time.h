#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "weft/result.h"

namespace weft {

/// A moment with the zone it was said in: milliseconds since 1970-01-01T00:00Z and the offset from UTC in minutes.
/// Ordered and compared by the moment; the zone matters only for showing and for resolving "yesterday".
struct Time {
  std::int64_t ms = 0;
  std::int32_t offset_minutes = 0;

  friend bool operator==(const Time& a, const Time& b) { return a.ms == b.ms; }
  friend auto operator<=>(const Time& a, const Time& b) { return a.ms <=> b.ms; }
};

/// Reads RFC 3339, such as "2026-03-01T09:30:00+08:00" or "…Z", with optional fraction; a date alone is its midnight in
/// UTC.
Result<Time> parse_time(std::string_view text);

/// Writes RFC 3339 with the time's own zone; milliseconds only when they are not zero.
std::string format_time(Time time);

/// The calendar day in the time's own zone, "YYYY-MM-DD".
std::string format_date(Time time);

}  // namespace weft
