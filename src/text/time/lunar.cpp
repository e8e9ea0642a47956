// Calendars of the moon, computed. ICU's Chinese calendar is not used: its new moon of February 2027, minutes before
// midnight in China, falls on the wrong day.
#include "text/time/lunar.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "text/time/calendar.h"

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

/// After midnight, at Ujjain, through which India's calendars count: refraction and the half disc of the sun included.
Moment india_sunrise(Moment day) {
  constexpr double kDegree = 3.14159265358979 / 180.0, kLatitude = 23.18, kTilt = 23.44, kHorizon = -0.83;
  constexpr Moment kNoon = 12 * kHourSeconds + 27 * kMinuteSeconds;  // of the mean sun, by India's clocks
  const double longitude = sun_longitude(day);
  const double declination = std::asin(std::sin(kTilt * kDegree) * std::sin(longitude * kDegree));
  const double hour = (std::sin(kHorizon * kDegree) - std::sin(kLatitude * kDegree) * std::sin(declination)) /
                      (std::cos(kLatitude * kDegree) * std::cos(declination));
  // The equation of time: the tilt of the axis, and the ellipse of the orbit.
  const double late = 7.66 * std::sin((longitude + 77.1) * kDegree) - 9.87 * std::sin(2 * longitude * kDegree);
  return kNoon + static_cast<Moment>(late * 60.0) - static_cast<Moment>(std::acos(hour) / kDegree * 240.0);
}

Moment hour_of(IndianHour hour, Moment day) {
  switch (hour) {
    case IndianHour::kSunrise: return india_sunrise(day);
    case IndianHour::kNoon: return 12 * kHourSeconds;
    case IndianHour::kAfternoon: return 14 * kHourSeconds + 30 * kMinuteSeconds;
    case IndianHour::kEvening: return 19 * kHourSeconds + 30 * kMinuteSeconds;
    case IndianHour::kMidnight: return 24 * kHourSeconds;
  }
  return 0;
}

/// The day within a lunar month at whose hour the lunar day runs; one that runs at that hour of no day counts for the
/// day on which it ends, which lasts until the next sunrise.
std::optional<Moment> day_within(std::int64_t moon, int lunar_day, IndianHour hour) {
  const Instant opens = new_moon(moon), closes = new_moon(moon + 1);
  const Moment begin = floor_to(opens + kIndia, Grain::kDay) - kDaySeconds;
  for (Moment day = begin; day < begin + 33 * kDaySeconds; day += kDaySeconds) {
    const Instant at = day + hour_of(hour, day) - kIndia;
    if (at < opens) continue;
    const bool over = at >= closes || running_lunar_day(at) > lunar_day;
    if (over && hour == IndianHour::kSunrise) return day - kDaySeconds;
    if (over || running_lunar_day(at) == lunar_day) return day;
  }
  return std::nullopt;
}

/// The mansion of the moon among the stars, 0 to 26.
int moon_mansion(Instant at) {
  const double ahead = moon_longitude(at) - sun_longitude(at);
  return static_cast<int>(std::fmod(among_stars(at) + ahead + 720.0, 360.0) / (360.0 / 27.0));
}

constexpr int kShravana = 21;

/// Whether the lunar day runs at some time of the fourth fifth of the daylight.
bool runs_in_afternoon(Moment day, int lunar_day) {
  const Moment sunrise = india_sunrise(day), light = 2 * (12 * kHourSeconds + 27 * kMinuteSeconds - sunrise);
  for (const int part : {30, 35, 40}) {  // of fifty
    if (running_lunar_day(day + sunrise + light * part / 50 - kIndia) == lunar_day) return true;
  }
  return false;
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
      if (one.number == std::abs(month) && one.leap == (month < 0) && at < one.end && civil(at).year == year) return at;
    }
  }
  return std::nullopt;
}

Moment chinese_solar_day(std::int64_t year, int longitude) {
  return china_day(sun_reaches(longitude, midnight(year, 1, 1) - 8 * kHourSeconds));
}

std::optional<Moment> islamic_day(std::int64_t year, int month, int day) {
  if (year < 1600) return std::nullopt;
  const Moment begin = midnight(year, 1, 1), end = midnight(year + 1, 1, 1);
  const std::int64_t muharram = new_moon_before(midnight(1999, 4, 17));  // of 1420
  const std::int64_t first = new_moon_before(begin) - 1;
  for (std::int64_t moon = first; moon < first + 15; ++moon) {
    if (((moon - muharram) % 12 + 12) % 12 + 1 != month) continue;
    const Moment opens = floor_to(new_moon(moon), Grain::kDay) + kDaySeconds;
    const Moment closes = floor_to(new_moon(moon + 1), Grain::kDay) + kDaySeconds;
    const Moment at = opens + (day - 1) * kDaySeconds;
    if (at < closes && at >= begin && at < end) return at;
  }
  return std::nullopt;
}

std::optional<Moment> vijayadashami(std::int64_t year) {
  constexpr int kAshvin = 7, kTenth = 10;
  const auto known = indian_day(year, kAshvin, kTenth, IndianHour::kSunrise);
  if (!known) return std::nullopt;
  std::optional<Moment> chosen;
  for (const Moment day : {*known - kDaySeconds, *known}) {
    const bool shravana = moon_mansion(day + 14 * kHourSeconds - kIndia) == kShravana;
    if (shravana && (day == *known || runs_in_afternoon(day, kTenth))) return day;
    if (!chosen && runs_in_afternoon(day, kTenth)) chosen = day;
  }
  return chosen ? chosen : known;
}

std::optional<Moment> onam(std::int64_t year) {
  if (year < 1600 || year > 2400) return std::nullopt;
  constexpr int kSimha = 4;
  std::optional<Moment> found;
  for (Moment day = midnight(year, 7, 20); day < midnight(year, 10, 20); day += kDaySeconds) {
    const Instant at = day + india_sunrise(day) - kIndia;
    if (static_cast<int>(among_stars(at) / 30.0) == kSimha && moon_mansion(at) == kShravana) found = day;
  }
  return found;
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
