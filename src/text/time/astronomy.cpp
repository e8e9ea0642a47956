#include "text/time/astronomy.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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

}  // namespace weft::timex
