#include "text/time_bounds.h"

#include "text/time_expressions.h"

namespace weft {
namespace {

constexpr std::int64_t kDay = 86'400'000;

}  // namespace

Result<TimeBounds> read_time_bounds(std::string_view text, Time now) {
  if (const auto moment = parse_time(text); moment.ok()) {
    // A date alone is a whole day, in the zone of whoever asks.
    if (text.size() > 10) return TimeBounds{*moment, *moment};
    const std::int64_t begin = moment->ms - std::int64_t{now.offset_minutes} * 60'000;
    return TimeBounds{Time{begin, now.offset_minutes}, Time{begin + kDay - 1, now.offset_minutes}};
  }
  for (const TimeExpression& found : find_time_expressions(text, now)) {
    if (!found.from_ms && !found.to_ms) continue;
    TimeBounds bounds;
    if (found.from_ms) bounds.from = Time{*found.from_ms, now.offset_minutes};
    if (found.to_ms) bounds.to = Time{*found.to_ms - 1, now.offset_minutes};
    return bounds;
  }
  return invalid_argument("\"" + std::string(text.substr(0, 80)) + "\" is no time",
                          "use a date such as 2026-03-01, a time such as 2026-03-01T09:30:00+08:00, or words such as "
                          "\"last week\" or 三月");
}

Result<TimeBounds> read_time_span(std::string_view from, std::string_view to, Time now) {
  TimeBounds span;
  if (!from.empty()) {
    WEFT_TRY(const auto bounds, read_time_bounds(from, now));
    span.from = bounds.from;
  }
  if (!to.empty()) {
    WEFT_TRY(const auto bounds, read_time_bounds(to, now));
    span.to = bounds.to;
  }
  if (span.from && span.to && *span.to < *span.from)
    return invalid_argument("the end of the time span lies before its beginning");
  return span;
}

}  // namespace weft
