// Dates and clock times in digits, the same in both languages.
#include "text/time/rules.h"

namespace weft::timex {
namespace {

using Result = std::optional<Node>;

Result date_if_real(std::int64_t year, int month, int day, bool latent = false) {
  if (!is_day(year, month, day)) return std::nullopt;
  return time_node(full_date(year, month, day), latent);
}

/// Two digits of a year: up to 2029 of this century, the rest of the last.
std::int64_t long_year(int year) { return year < 30 ? 2000 + year : 1900 + year; }

/// month/day/year where that is a date, else day/month/year.
Result either_order(int a, int b, std::int64_t year) {
  if (auto found = date_if_real(year, a, b)) return found;
  return date_if_real(year, b, a);
}

Result month_of_year(std::int64_t year, int month) {
  When when = date_of(only(unit_at(midnight(year, month, 1), Grain::kMonth)), Grain::kMonth, kYearField | kMonthField);
  when.dated = true;
  return time_node(std::move(when));
}

/// A day of a month in digits alone may as well be a fraction, a score or a version.
Result short_date(int month, int day, bool latent) {
  if (!is_day(2000, month, day)) return std::nullopt;
  return time_node(month_day(month, day), latent);
}

/// "09:30" is written by those who count to 24, "9:30" may be either.
Result clock(const Args& a, int second, Grain grain) {
  const int hour = a.integer(0), minute = a.integer(1);
  if (hour == 24 && minute + second > 0) return std::nullopt;
  return time_node(clock_when(hour, minute, second, grain, a[0].digits == 1 || hour > 9));
}

/// "20/12/2024 - 03/01/2025": the day stands first in both, where one of them says so.
Result days_first(const Args& a) {
  const bool first = a.number(0) > 12 || a.number(3) > 12;
  if (!first || !is_day(a.integer(2), a.integer(1), a.integer(0)) || !is_day(a.integer(5), a.integer(4), a.integer(3)))
    return std::nullopt;
  const auto days =
      stretch(full_date(a.integer(2), a.integer(1), a.integer(0)), full_date(a.integer(5), a.integer(4), a.integer(3)));
  return days ? Result(time_node(*days)) : Result();
}

}  // namespace

std::vector<Rule> numeric_rules() {
  return {
      {"<dd> / <dd> / <yyyy> -|to|~|至|到 <dd> / <dd> / <yyyy>", days_first},
      {"<dd> . <dd> . <yyyy> -|to|~|至|到 <dd> . <dd> . <yyyy>", days_first},
      {"<yyyymmdd>",
       [](const Args& a) { return date_if_real(a.integer(0) / 10000, a.integer(0) / 100 % 100, a.integer(0) % 100); }},
      {"<sixty> . <sixty> . <yy>",
       [](const Args& a) { return either_order(a.integer(0), a.integer(1), long_year(a.integer(2))); }},
      {"<yyyy> - <mm> - <dd>", [](const Args& a) { return date_if_real(a.integer(0), a.integer(1), a.integer(2)); }},
      {"<yyyy> / <mm> / <dd>", [](const Args& a) { return date_if_real(a.integer(0), a.integer(1), a.integer(2)); }},
      {"<yyyy> . <mm> . <dd>", [](const Args& a) { return date_if_real(a.integer(0), a.integer(1), a.integer(2)); }},
      {"<yyyy> <mm> <dd>",
       [](const Args& a) -> Result {
         if (a[1].digits != 2 || a[2].digits != 2) return std::nullopt;
         return date_if_real(a.integer(0), a.integer(1), a.integer(2));
       }},
      {"<dd> /|-|. <dd> /|-|.|, <yyyy>",
       [](const Args& a) { return either_order(a.integer(0), a.integer(1), a.integer(2)); }},
      {"<dd> / <dd> /|, <yy>",
       [](const Args& a) { return either_order(a.integer(0), a.integer(1), long_year(a.integer(2))); }},
      {"<dd> - <dd> - <yy>",
       [](const Args& a) { return either_order(a.integer(0), a.integer(1), long_year(a.integer(2))); }},
      {"<yy> / <mm> / <dd>",
       [](const Args& a) { return date_if_real(long_year(a.integer(0)), a.integer(1), a.integer(2)); }},
      {"<yyyy> -|/|. <mm>", [](const Args& a) { return month_of_year(a.integer(0), a.integer(1)); }},
      {"<mm> -|/ <yyyy>", [](const Args& a) { return month_of_year(a.integer(1), a.integer(0)); }},
      {"<mm> / <dd>",
       [](const Args& a) {
         const bool fraction = a.number(0) < a.number(1) && a.number(1) <= 6;
         return short_date(a.integer(0), a.integer(1), fraction || a.number(0) == a.number(1));
       }},
      {"<dd> / <mm>",
       [](const Args& a) -> Result {
         if (a.number(0) <= 12) return std::nullopt;
         return short_date(a.integer(1), a.integer(0), a.number(0) == 24 && a.number(1) == 7);
       }},
      {"<mm> -|. <dd>", [](const Args& a) { return short_date(a.integer(0), a.integer(1), true); }},

      {"<hourdigits> : <sixty>", [](const Args& a) { return clock(a, 0, Grain::kMinute); }},
      {"<hourdigits> : <sixty> : <sixty>", [](const Args& a) { return clock(a, a.integer(2), Grain::kSecond); }},
      {"<hourdigits> : <sixty> : <sixty> . <int>",
       [](const Args& a) { return clock(a, a.integer(2), Grain::kSecond); }},
      {"<date> t <clock>",
       [](const Args& a) {
         When exact = a.when(1);
         if (exact.clock->ambiguous) exact.clock->ambiguous = false;
         return if_time(combine(a.when(0), exact));
       }},
      {"<timed> + <hourdigits> : <sixty>",
       [](const Args& a) -> Result {
         if (!a.when(0).dated) return std::nullopt;
         When zoned = a.when(0);
         zoned.zone_minutes = 60 * a.integer(1) + a.integer(2);
         return time_node(std::move(zoned));
       }},
      {"<timed> z",
       [](const Args& a) -> Result {
         When zoned = a.when(0);
         zoned.zone_minutes = 0;
         return time_node(std::move(zoned));
       }},
  };
}

}  // namespace weft::timex
