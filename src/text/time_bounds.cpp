#include "text/time_bounds.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "text/plain_words.h"
#include "text/time_expressions.h"

namespace weft {
namespace {

constexpr std::int64_t kDay = 86'400'000;

// Whether words name a time by its place in a year or a week: "June" does, "yesterday" moves with the day of speaking.
bool floats(std::string_view text, Time now) {
  const auto today = read_past_time(text, now),
             yesterday = read_past_time(text, Time{now.ms - kDay, now.offset_minutes});
  return today && yesterday && today->value == yesterday->value;
}

// "Next week", 这周末: the words themselves point at what is now or to come.
bool points_ahead(std::string_view text) {
  static const PhraseTable table = phrase_table("plans", "points ahead");
  const bool amount = text.starts_with("in ") && !text.starts_with("in the ");  // "in three days"
  return amount || table.any_in(plain_words(text));
}

// "The end of the year", 年底: as a bound its last month, not the last third of the year.
void narrow_end(std::string_view text, TimeExpression& found) {
  constexpr std::int64_t kMonths = 100 * kDay, kMonth = 31 * kDay;
  static constexpr std::string_view kEnds[] = {"end", "底", "末", "年终"};
  const bool end = std::any_of(std::begin(kEnds), std::end(kEnds),
                               [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
  if (end && found.from_ms && found.to_ms && *found.to_ms - *found.from_ms > kMonths)
    found.from_ms = *found.to_ms - kMonth;
}

// Of words that point nowhere, 晚上, 周末, 年底, the last time that has begun.
std::optional<TimeExpression> read_begun_time(std::string_view text, Time now) {
  auto found = read_past_time(text, now);
  if (!found) return found;
  narrow_end(text, *found);
  if (!found->relative || points_ahead(text)) return found;
  for (const std::int64_t days : {1, 7, 31, 366}) {
    if (!found->from_ms || *found->from_ms <= now.ms) break;
    auto earlier = read_past_time(text, Time{now.ms - days * kDay, now.offset_minutes});
    if (!earlier) break;
    narrow_end(text, *earlier);
    found = std::move(earlier);
  }
  return found;
}

}  // namespace

Result<TimeBounds> read_time_bounds(std::string_view text, Time now) {
  if (const auto moment = parse_time(text); moment.ok()) {
    // A date alone is a whole day, in the zone of whoever asks.
    if (text.size() > 10) return TimeBounds{*moment, *moment};
    const std::int64_t begin = moment->ms - std::int64_t{now.offset_minutes} * 60'000;
    return TimeBounds{Time{begin, now.offset_minutes}, Time{begin + kDay - 1, now.offset_minutes}};
  }
  auto found = read_begun_time(text, now);
  constexpr std::string_view kThe = "the ";
  if (!found && text.starts_with(kThe)) found = read_begun_time(text.substr(kThe.size()), now);
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
