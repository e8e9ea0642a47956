// Calendars of the moon, computed. ICU's Chinese calendar is not used: its new moon of February 2027, minutes before
// midnight in China, falls on the wrong day.
#include "text/time/lunar.h"

#include <cmath>
#include <map>
#include <vector>

#include "text/time/astronomy.h"

namespace weft::timex {
namespace {

constexpr Moment kIndia = 5 * kHourSeconds + 30 * kMinuteSeconds;

/// China's clocks; before 1929 the mean time of Peking.
Moment in_china(Instant at) {
  const bool old = at < midnight(1929, 1, 1);
  return at + (old ? 7 * kHourSeconds + 45 * kMinuteSeconds + 40 : 8 * kHourSeconds);
}

Moment china_day(Instant at) { return floor_to(in_china(at), Grain::kDay); }

struct LunarMonth {
  int number = 0;
  bool leap = false;
  Moment first = 0, end = 0;
};

/// The new moon that opens the month with the winter solstice of a year.
std::int64_t solstice_month(std::int64_t year) {
  const Moment solstice = chinese_solar_day(year, 270);
  std::int64_t number = new_moon_before(solstice + kDaySeconds);
  while (china_day(new_moon(number)) > solstice) --number;
  while (china_day(new_moon(number + 1)) <= solstice) ++number;
  return number;
}

/// Whether the sun enters a new sign (a multiple of 30 degrees) in these days of China.
bool has_sign(Moment first, Moment end) {
  const double now = sun_longitude(first - 8 * kHourSeconds);
  const double next = std::ceil(now / 30.0) * 30.0;
  const Moment day = china_day(sun_reaches(next >= 360 ? 0 : next, first - 8 * kHourSeconds - 60));
  return day >= first && day < end;
}

/// The months from the eleventh of the year before to the tenth of this one.
std::vector<LunarMonth> months_of(std::int64_t year) {
  const std::int64_t begin = solstice_month(year - 1), end = solstice_month(year);
  bool leap_due = end - begin == 13;
  std::vector<LunarMonth> months;
  int number = 10;
  for (std::int64_t moon = begin; moon < end; ++moon) {
    LunarMonth month;
    month.first = china_day(new_moon(moon));
    month.end = china_day(new_moon(moon + 1));
    month.leap = leap_due && moon > begin && !has_sign(month.first, month.end);
    if (month.leap) leap_due = false;
    if (!month.leap) number = number % 12 + 1;
    month.number = number;
    months.push_back(month);
  }
  return months;
}

/// The sun among the stars, in degrees from the beginning of the Indian zodiac.
double among_stars(Instant at) {
  const double years = static_cast<double>(at) / 86400.0 / 365.2425 - 30.0;
  const double rest = std::fmod(sun_longitude(at) - 23.853 - 0.013969 * years, 360.0);
  return rest < 0 ? rest + 360.0 : rest;
}

/// The lunar day, 1 to 30, that runs at a moment.
int running_lunar_day(Instant at) {
  const double ahead = std::fmod(moon_longitude(at) - sun_longitude(at) + 360.0, 360.0);
  return static_cast<int>(ahead / 12.0) + 1;
}

Moment hour_of(IndianHour hour) {
  switch (hour) {
    case IndianHour::kSunrise: return 6 * kHourSeconds + 15 * kMinuteSeconds;
    case IndianHour::kNoon: return 12 * kHourSeconds;
    case IndianHour::kAfternoon: return 14 * kHourSeconds + 30 * kMinuteSeconds;
    case IndianHour::kEvening: return 19 * kHourSeconds + 30 * kMinuteSeconds;
    case IndianHour::kMidnight: return 24 * kHourSeconds;
  }
  return 0;
}

/// The day within a lunar month at whose hour the lunar day runs; one that runs at that hour of no day counts for the
/// day on which it ends.
std::optional<Moment> day_within(std::int64_t moon, int lunar_day, IndianHour hour) {
  const Instant opens = new_moon(moon), closes = new_moon(moon + 1);
  const Moment begin = floor_to(opens + kIndia, Grain::kDay) - kDaySeconds;
  for (Moment day = begin; day < begin + 33 * kDaySeconds; day += kDaySeconds) {
    const Instant at = day + hour_of(hour) - kIndia;
    if (at < opens) continue;
    if (at >= closes || running_lunar_day(at) >= lunar_day) return day;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Moment> chinese_day(std::int64_t year, int month, int day) {
  if (year < 1600 || year > 2400) return std::nullopt;
  constexpr std::size_t kMost = 256;
  thread_local std::map<std::int64_t, std::vector<LunarMonth>> known;
  if (known.size() > kMost) known.clear();
  for (const std::int64_t turn : {year, year + 1}) {
    auto found = known.find(turn);
    if (found == known.end()) found = known.emplace(turn, months_of(turn)).first;
    for (const LunarMonth& one : found->second) {
      const Moment at = one.first + (day - 1) * kDaySeconds;
      if (one.number == month && !one.leap && at < one.end && civil(at).year == year) return at;
    }
  }
  return std::nullopt;
}

Moment chinese_solar_day(std::int64_t year, int longitude) {
  return china_day(sun_reaches(longitude, midnight(year, 1, 1) - 8 * kHourSeconds));
}

std::optional<Moment> indian_day(std::int64_t year, int month, int lunar_day, IndianHour hour) {
  if (year < 1600 || year > 2400) return std::nullopt;
  const Moment begin = midnight(year, 1, 1), end = midnight(year + 1, 1, 1);
  const std::int64_t first = new_moon_before(begin) - 1;
  for (std::int64_t moon = first; moon < first + 15; ++moon) {
    // A month is named by the sign that the sun enters in it; where it enters none, it is a leap month.
    const int sign = static_cast<int>(among_stars(new_moon(moon)) / 30.0);
    if (sign == static_cast<int>(among_stars(new_moon(moon + 1)) / 30.0)) continue;
    if ((sign + 1) % 12 + 1 != month) continue;
    const auto day = day_within(moon, lunar_day, hour);
    if (day && *day >= begin && *day < end) return day;
  }
  return std::nullopt;
}

}  // namespace weft::timex
