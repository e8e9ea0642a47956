#include "text/time/calendar.h"

#include <unicode/calendar.h>
#include <unicode/timezone.h>
#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "text/time/lunar.h"

namespace weft::timex {
namespace {

constexpr std::int64_t kMostUnits = 4'000'000;
constexpr std::int64_t kUmmAlQuraByTable = 1999;  // ICU's table is right from here on

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
std::int64_t floor_mod(std::int64_t a, std::int64_t b) { return a - floor_div(a, b) * b; }

// Years are counted from March, so that the leap day is the last of its year; an era is 400 years.
std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  if (month <= 2) --year;
  const std::int64_t era = floor_div(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

int days_of_month(std::int64_t year, int month) {
  return static_cast<int>((midnight(year, month + 1, 1) - midnight(year, month, 1)) / kDaySeconds);
}

Moment add_months(Moment at, std::int64_t count) {
  const Civil day = civil(at);
  const std::int64_t months = day.year * 12 + day.month - 1 + count;
  const std::int64_t year = floor_div(months, 12);
  const int month = static_cast<int>(floor_mod(months, 12)) + 1;
  return midnight(year, month, std::min(day.day, days_of_month(year, month))) + floor_mod(at, kDaySeconds);
}

struct Fixed {
  Grain grain;
  Moment seconds;
};
constexpr Fixed kFixed[] = {{Grain::kSecond, 1},
                            {Grain::kMinute, kMinuteSeconds},
                            {Grain::kHour, kHourSeconds},
                            {Grain::kDay, kDaySeconds},
                            {Grain::kWeek, 7 * kDaySeconds}};

int months_of(Grain grain) {
  switch (grain) {
    case Grain::kQuarter: return 3;
    case Grain::kHalf: return 6;
    case Grain::kYear: return 12;
    case Grain::kDecade: return 120;
    case Grain::kCentury: return 1200;
    default: return 1;
  }
}

/// A calendar of this thread: making one reads ICU's locale data, asking it is cheap.
icu::Calendar* almanac_calendar(Almanac almanac) {
  const auto make = [](const char* locale) {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::Calendar> made(
        icu::Calendar::createInstance(icu::TimeZone::getGMT()->clone(), icu::Locale(locale), status));
    if (U_FAILURE(status)) made.reset();
    return made;
  };
  thread_local const auto hebrew = make("he@calendar=hebrew");
  thread_local const auto islamic = make("ar@calendar=islamic-umalqura");
  switch (almanac) {
    case Almanac::kChinese: break;  // computed
    case Almanac::kHebrew: return hebrew.get();
    case Almanac::kIslamic: return islamic.get();
  }
  return nullptr;
}

struct AlmanacDay {
  int month = 0, day = 0;
};

std::optional<AlmanacDay> almanac_of(icu::Calendar& calendar, Moment at) {
  UErrorCode status = U_ZERO_ERROR;
  calendar.setTime(static_cast<double>(at) * 1000.0, status);
  AlmanacDay day;
  day.month = calendar.get(UCAL_MONTH, status) + 1;
  day.day = calendar.get(UCAL_DATE, status);
  if (U_FAILURE(status)) return std::nullopt;
  return day;
}

std::optional<Moment> find_almanac_day(Almanac almanac, std::int64_t year, int month, int day) {
  if (almanac == Almanac::kChinese) return chinese_day(year, month, day);
  if (almanac == Almanac::kIslamic && year < kUmmAlQuraByTable) return islamic_day(year, month, day);
  icu::Calendar* calendar = almanac_calendar(almanac);
  if (calendar == nullptr || year < 1600 || year > 2400) return std::nullopt;
  const Moment begin = midnight(year, 1, 1), end = midnight(year + 1, 1, 1);
  for (Moment at = begin; at < end;) {
    const auto here = almanac_of(*calendar, at);
    if (!here) return std::nullopt;
    const Moment first = at - (here->day - 1) * kDaySeconds;
    if (here->month == month) {
      const Moment wanted = first + (day - 1) * kDaySeconds;
      const auto there = almanac_of(*calendar, wanted);
      if (there && there->month == month && wanted >= begin && wanted < end) return wanted;
    }
    at = first + 30 * kDaySeconds;  // months have 29 or 30 days, so this is the first or second of the next
  }
  return std::nullopt;
}

}  // namespace

Moment midnight(std::int64_t year, int month, int day) {
  const std::int64_t months = year * 12 + month - 1;
  return (days_from_civil(floor_div(months, 12), static_cast<int>(floor_mod(months, 12)) + 1, 1) + day - 1) *
         kDaySeconds;
}

Civil civil(Moment at) {
  const std::int64_t shifted = floor_div(at, kDaySeconds) + 719468;
  const std::int64_t era = floor_div(shifted, 146097);
  const std::int64_t day_of_era = shifted - era * 146097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;
  Civil day;
  day.day = static_cast<int>(day_of_year - (153 * march_month + 2) / 5 + 1);
  day.month = static_cast<int>(march_month < 10 ? march_month + 3 : march_month - 9);
  day.year = year_of_era + era * 400 + (day.month <= 2 ? 1 : 0);
  return day;
}

bool is_day(std::int64_t year, int month, int day) {
  return month >= 1 && month <= 12 && day >= 1 && day <= days_of_month(year, month);
}

int weekday(Moment at) { return static_cast<int>(floor_mod(floor_div(at, kDaySeconds) + 3, 7)) + 1; }

Moment floor_to(Moment at, Grain grain) {
  if (grain == Grain::kWeek) return floor_to(at, Grain::kDay) - (weekday(at) - 1) * kDaySeconds;
  for (const auto& [unit, seconds] : kFixed) {
    if (unit == grain) return floor_div(at, seconds) * seconds;
  }
  const Civil day = civil(at);
  const int months = months_of(grain);
  const std::int64_t month = floor_div(day.year * 12 + day.month - 1, months) * months;
  return midnight(floor_div(month, 12), static_cast<int>(floor_mod(month, 12)) + 1, 1);
}

Moment add(Moment at, Grain grain, std::int64_t count) {
  count = std::clamp(count, -kMostUnits, kMostUnits);
  for (const auto& [unit, seconds] : kFixed) {
    if (unit == grain) return at + seconds * count;
  }
  return add_months(at, count * months_of(grain));
}

Interval unit_at(Moment at, Grain grain, std::int64_t count) {
  const Moment from = add(floor_to(at, grain), grain, count);
  return {from, add(from, grain, 1), grain};
}

Moment easter(std::int64_t year, bool orthodox) {
  const std::int64_t a = year % 19;
  if (orthodox) {  // the Julian computus, then the days between the calendars
    const std::int64_t d = (19 * a + 15) % 30;
    const std::int64_t e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7;
    const std::int64_t march = d + e + 22;
    const std::int64_t drift = year / 100 - year / 400 - 2;
    return midnight(year, 3, static_cast<int>(march + drift));
  }
  const std::int64_t b = year / 100, c = year % 100;
  const std::int64_t h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
  const std::int64_t l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
  const std::int64_t m = (a + 11 * h + 22 * l) / 451;
  return midnight(year, 3, static_cast<int>(h + l - 7 * m + 22));
}

std::optional<Moment> almanac_day(Almanac almanac, std::int64_t year, int month, int day) {
  // The moon is computed anew for each question, so what was asked is kept; a text asks for a few years only.
  constexpr std::size_t kMost = 4096;
  thread_local std::map<std::tuple<Almanac, std::int64_t, int, int>, std::optional<Moment>> known;
  const auto key = std::tuple(almanac, year, month, day);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  if (known.size() >= kMost) known.clear();
  return known[key] = find_almanac_day(almanac, year, month, day);
}

}  // namespace weft::timex
