// Where sun and moon stand, and the calendars of the moon that follow from it. ICU's Chinese calendar is not used: its
// new moon of February 2027, minutes before midnight in China, falls on the wrong day.
#include "text/time/lunar.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <vector>

namespace weft::timex {
namespace {

constexpr double kRadian = 0.017453292519943295;
constexpr double kDay = 86400.0;
constexpr double kJulianOf1970 = 2440587.5;

double sine(double degrees) { return std::sin(degrees * kRadian); }

double turn(double degrees) {
  const double rest = std::fmod(degrees, 360.0);
  return rest < 0 ? rest + 360.0 : rest;
}

/// Seconds by which the even time of the planets is ahead of the clocks, which follow the earth.
double clock_lag(Instant at) {
  static constexpr double kEvery20Years[] = {8, -3, 21, 24, 33, 51, 64, 69, 83, 110, 145, 200};  // from 1880
  const double place = (static_cast<double>(at) / kDay / 365.2425 + 90.0) / 20.0;
  const auto last = static_cast<double>(std::size(kEvery20Years) - 1);
  const double inside = std::clamp(place, 0.0, last - 1e-9);
  const auto index = static_cast<std::size_t>(inside);
  const double share = inside - std::floor(inside);
  return kEvery20Years[index] * (1 - share) + kEvery20Years[index + 1] * share;
}

/// Centuries of even time since the year 2000.
double centuries(Instant at) {
  return ((static_cast<double>(at) + clock_lag(at)) / kDay + kJulianOf1970 - 2451545.0) / 36525.0;
}

struct MoonTerm {
  int elongation, sun, moon, node;
  double size;  // millionths of a degree
};

constexpr MoonTerm kMoonTerms[] = {
    {0, 0, 1, 0, 6288774}, {2, 0, -1, 0, 1274027}, {2, 0, 0, 0, 658314},  {0, 0, 2, 0, 213618}, {0, 1, 0, 0, -185116},
    {0, 0, 0, 2, -114332}, {2, 0, -2, 0, 58793},   {2, -1, -1, 0, 57066}, {2, 0, 1, 0, 53322},  {2, -1, 0, 0, 45758},
    {0, 1, -1, 0, -40923}, {1, 0, 0, 0, -34720},   {0, 1, 1, 0, -30383},  {2, 0, 0, -2, 15327}, {0, 0, 1, 2, -12528},
    {0, 0, 1, -2, 10980},  {4, 0, -1, 0, 10675},   {0, 0, 3, 0, 10034},   {4, 0, -2, 0, 8548},  {2, 1, -1, 0, -7888},
    {2, 1, 0, 0, -6766},   {1, 0, -1, 0, -5163},   {1, 1, 0, 0, 4987},    {2, -1, 1, 0, 4036},  {2, 0, 2, 0, 3994},
    {4, 0, 0, 0, 3861},    {2, 0, -3, 0, 3665}};

struct PhaseTerm {
  int sun, moon, node;
  int eccentric;  // how often the eccentricity of the earth's orbit counts
  double days;
};

constexpr PhaseTerm kPhaseTerms[] = {
    {0, 1, 0, 0, -0.40720}, {1, 0, 0, 1, 0.17241},    {0, 2, 0, 0, 0.01608},  {0, 0, 2, 0, 0.01039},
    {-1, 1, 0, 1, 0.00739}, {1, 1, 0, 1, -0.00514},   {2, 0, 0, 2, 0.00208},  {0, 1, -2, 0, -0.00111},
    {0, 1, 2, 0, -0.00057}, {1, 2, 0, 1, 0.00056},    {0, 3, 0, 0, -0.00042}, {1, 0, 2, 1, 0.00042},
    {1, 0, -2, 1, 0.00038}, {-1, 2, 0, 1, -0.00024},  {2, 1, 0, 0, -0.00007}, {0, 2, -2, 0, 0.00004},
    {3, 0, 0, 0, 0.00004},  {1, 1, -2, 0, 0.00003},   {0, 2, 2, 0, 0.00003},  {1, 1, 2, 0, -0.00003},
    {-1, 1, 2, 0, 0.00003}, {-1, 1, -2, 0, -0.00002}, {1, 3, 0, 0, -0.00002}, {0, 4, 0, 0, 0.00002}};

/// What the planets add to a phase: angle at number 0, its growth with each month, days.
constexpr double kPlanetTerms[][3] = {
    {299.77, 0.107408, 0.000325},  {251.88, 0.016321, 0.000165}, {251.83, 26.651886, 0.000164},
    {349.42, 36.412478, 0.000126}, {84.66, 18.206239, 0.000110}, {141.74, 53.303771, 0.000062},
    {207.14, 2.453732, 0.000060},  {154.84, 7.306860, 0.000056}, {34.52, 27.261239, 0.000047},
    {207.19, 0.121824, 0.000042},  {291.34, 1.844379, 0.000040}, {161.72, 24.198154, 0.000037},
    {239.56, 25.513099, 0.000035}, {331.55, 3.592518, 0.000023}};

}  // namespace

double sun_longitude(Instant at) {
  const double t = centuries(at);
  const double mean = 280.46646 + 36000.76983 * t + 0.0003032 * t * t;
  const double anomaly = 357.52911 + 35999.05029 * t - 0.0001537 * t * t;
  const double center = (1.914602 - 0.004817 * t) * sine(anomaly) + (0.019993 - 0.000101 * t) * sine(2 * anomaly) +
                        0.000289 * sine(3 * anomaly);
  return turn(mean + center - 0.00569 - 0.00478 * sine(125.04 - 1934.136 * t));
}

double moon_longitude(Instant at) {
  const double t = centuries(at), t2 = t * t;
  const double mean = 218.3164477 + 481267.88123421 * t - 0.0015786 * t2;
  const double elongation = 297.8501921 + 445267.1114034 * t - 0.0018819 * t2;
  const double sun = 357.5291092 + 35999.0502909 * t - 0.0001536 * t2;
  const double moon = 134.9633964 + 477198.8675055 * t + 0.0087414 * t2;
  const double node = 93.2720950 + 483202.0175233 * t - 0.0036539 * t2;
  const double eccentricity = 1 - 0.002516 * t - 0.0000074 * t2;
  double sum = 0;
  for (const MoonTerm& term : kMoonTerms) {
    const double angle = term.elongation * elongation + term.sun * sun + term.moon * moon + term.node * node;
    sum += term.size * (term.sun != 0 ? eccentricity : 1) * sine(angle);
  }
  return turn(mean + sum * 1e-6);
}

Instant new_moon(std::int64_t number) {
  const auto k = static_cast<double>(number);
  const double t = k / 1236.85, t2 = t * t, t3 = t2 * t;
  const double sun = 2.5534 + 29.10535670 * k - 0.0000014 * t2 - 0.00000011 * t3;
  const double moon = 201.5643 + 385.81693528 * k + 0.0107582 * t2 + 0.00001238 * t3;
  const double node = 160.7108 + 390.67050284 * k - 0.0016118 * t2 - 0.00000227 * t3;
  const double ascending = 124.7746 - 1.56375588 * k + 0.0020672 * t2 + 0.00000215 * t3;
  const double eccentricity = 1 - 0.002516 * t - 0.0000074 * t2;
  double day = 2451550.09766 + 29.530588861 * k + 0.00015437 * t2 - 0.000000150 * t3;
  for (const PhaseTerm& term : kPhaseTerms) {
    day +=
        term.days * std::pow(eccentricity, term.eccentric) * sine(term.sun * sun + term.moon * moon + term.node * node);
  }
  day -= 0.00017 * sine(ascending);
  for (const auto& [begin, growth, days] : kPlanetTerms) day += days * sine(begin + growth * k);
  const double even = (day - kJulianOf1970) * kDay;
  return static_cast<Instant>(std::llround(even - clock_lag(static_cast<Instant>(even))));
}

std::int64_t new_moon_before(Instant at) {
  auto number = static_cast<std::int64_t>(std::floor((static_cast<double>(at) / kDay - 10962.6) / 29.530588861)) + 1;
  while (new_moon(number) > at) --number;
  return number;
}

Instant sun_reaches(double longitude, Instant after) {
  const double ahead = turn(longitude - sun_longitude(after));
  auto at = static_cast<double>(after) + ahead / 360.0 * 365.2422 * kDay;
  for (int round = 0; round < 8; ++round) {
    double off = turn(longitude - sun_longitude(static_cast<Instant>(at)));
    if (off > 180) off -= 360;
    at += off / 360.0 * 365.2422 * kDay;
  }
  return static_cast<Instant>(std::llround(at));
}

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
