#include "text/time_bounds.h"

#include <unicode/timezone.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "base/strings.h"
#include "text/plain_words.h"
#include "text/time_expressions.h"

namespace weft {
namespace {

constexpr std::int32_t kMinuteMs = 60'000;
constexpr std::int32_t kMostMinutes = 14 * 60;  // the largest offset in use

// "+8", "+08:00", "-0330".
std::optional<std::int32_t> read_offset(std::string_view text) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const bool west = text[0] == '-';
  std::string digits;
  for (const char c : text.substr(1)) {
    if (is_digit(c)) digits += c;
    if (!is_digit(c) && c != ':') return std::nullopt;
  }
  if (digits.empty() || digits.size() > 4) return std::nullopt;
  const bool minutes = digits.size() > 2;
  const std::int32_t hours = std::stoi(digits.substr(0, minutes ? digits.size() - 2 : digits.size()));
  const std::int32_t rest = minutes ? std::stoi(digits.substr(digits.size() - 2)) : 0;
  const std::int32_t offset = hours * 60 + rest;
  if (rest > 59 || offset > kMostMinutes) return std::nullopt;
  return west ? -offset : offset;
}

}  // namespace

Result<std::int32_t> zone_offset(std::string_view zone, std::int64_t ms) {
  std::string_view offset = zone;
  for (const std::string_view prefix : {"UTC", "GMT"})
    if (offset.starts_with(prefix)) offset.remove_prefix(prefix.size());
  if (zone == "Z" || zone == "UTC" || zone == "GMT") return 0;
  if (const auto minutes = read_offset(offset)) return *minutes;
  const auto id = icu::UnicodeString::fromUTF8(icu::StringPiece(zone.data(), static_cast<std::int32_t>(zone.size())));
  const std::unique_ptr<icu::TimeZone> known(icu::TimeZone::createTimeZone(id));
  icu::UnicodeString found;
  if (known == nullptr || known->getID(found) != id || *known == icu::TimeZone::getUnknown())
    return invalid_argument("there is no time zone \"" + std::string(zone.substr(0, 80)) + "\"",
                            "use a name such as Asia/Shanghai or an offset such as +08:00");
  std::int32_t raw = 0, summer = 0;
  UErrorCode error = U_ZERO_ERROR;
  known->getOffset(static_cast<double>(ms), 0, raw, summer, error);
  return (raw + summer) / kMinuteMs;
}

std::string zone_data_version() {
  UErrorCode error = U_ZERO_ERROR;
  const char* const version = icu::TimeZone::getTZDataVersion(error);
  return U_SUCCESS(error) && version != nullptr ? version : "";
}

std::string zone_of(Time time) {
  const std::string text = format_time(time);
  constexpr std::size_t kOffset = 6;  // "+08:00"
  return text.ends_with('Z') ? "UTC" : text.substr(text.size() - kOffset);
}

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
