#include "text/time/calendar.h"

#include <unicode/calendar.h>
#include <unicode/timezone.h>
#include <algorithm>
#include <cmath>
#include <iterator>
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

}  // namespace weft::timex
