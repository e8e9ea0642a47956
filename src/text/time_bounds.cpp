#include "text/time_bounds.h"

#include <string>

#include "text/time_readings.h"

namespace weft {
namespace {

constexpr std::int64_t kDay = 86'400'000;

// Whether words name a time by its place in a year or a week: "June" does, "yesterday" moves with the day of speaking.
bool floats(std::string_view text, Time now) {
  const auto today = read_past_time(text, now),
             yesterday = read_past_time(text, Time{now.ms - kDay, now.offset_minutes});
  return today && yesterday && today->value == yesterday->value;
}

}  // namespace

Result<TimeBounds> read_time_bounds(std::string_view text, Time now) {
  if (const auto moment = parse_time(text); moment.ok()) {
    // A date alone is a whole day, in the zone of whoever asks.
    if (text.size() > 10) return TimeBounds{*moment, *moment};
    const std::int64_t begin = moment->ms - std::int64_t{now.offset_minutes} * 60'000;
    return TimeBounds{Time{begin, now.offset_minutes}, Time{begin + kDay - 1, now.offset_minutes}};
  }
  const auto found = read_past_time(text, now);
  if (!found || (!found->from_ms && !found->to_ms))
    return invalid_argument("\"" + std::string(text.substr(0, 80)) + "\" is not a time",
                            "use a date such as 2026-03-01, a time such as 2026-03-01T09:30:00+08:00, or words such as "
                            "\"last week\", \"June\" or 三月");
  TimeBounds bounds;
  if (found->from_ms) bounds.from = Time{*found->from_ms, now.offset_minutes};
  if (found->to_ms) bounds.to = Time{*found->to_ms - 1, now.offset_minutes};
  return bounds;
}

Result<TimeBounds> read_time_field(const TimeField& field, Time now) {
  if (field.text.empty()) return TimeBounds{};
  auto bounds = read_time_bounds(field.text, now);
  if (bounds.ok()) return bounds;
  return invalid_argument("\"" + std::string(field.name) + "\": " + bounds.error().message, bounds.error().hint);
}

Result<TimeBounds> read_time_span(const TimeField& from, const TimeField& to, Time now) {
  WEFT_TRY(TimeBounds begin, read_time_field(from, now));
  WEFT_TRY(const TimeBounds end, read_time_field(to, now));
  if (begin.from && end.to && *end.to < *begin.from && floats(from.text, now)) {
    WEFT_TRY(begin, read_time_field(from, *end.to));
  }
  if (begin.from && end.to && *end.to < *begin.from)
    return invalid_argument("\"" + std::string(to.name) + "\" lies before \"" + std::string(from.name) + "\"",
                            "give the earlier one first");
  return TimeBounds{begin.from, end.to};
}

}  // namespace weft
