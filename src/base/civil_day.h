#pragma once

#include <cstdint>

namespace weft {

/// A day of the proleptic Gregorian calendar, of any year; std::chrono's year has 16 bits, which do not hold every
/// count of milliseconds.
struct CivilDay {
  std::int64_t year = 1970;
  int month = 1, day = 1;

  friend bool operator==(const CivilDay&, const CivilDay&) = default;
};

// Years are counted from March, so that the leap day is the last of its year; an era is 400 years.

/// Days since 1970-01-01. The month is from 1 to 12, the day may be any.
constexpr std::int64_t day_of_civil(CivilDay date) {
  const std::int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

constexpr CivilDay civil_of_day(std::int64_t days) {
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const std::int64_t day_of_era = shifted - era * 146097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;
  const int month = static_cast<int>(march_month < 10 ? march_month + 3 : march_month - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          static_cast<int>(day_of_year - (153 * march_month + 2) / 5 + 1)};
}

}  // namespace weft
