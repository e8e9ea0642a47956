#pragma once

#include <cstdint>
#include <optional>

#include "text/time/calendar.h"

namespace weft::timex {

/// Where sun and moon stand, by the series of Meeus (Astronomical Algorithms, chapters 25, 47 and 49). Times are
/// seconds since 1970 in UTC. Good for 1600 to 2400: new moons to less than a minute, the sun to a quarter of an hour.
using Instant = std::int64_t;

/// Apparent longitude of the sun in degrees, 0 to 360; spring begins at 0.
double sun_longitude(Instant at);

/// Longitude of the moon in degrees, 0 to 360.
double moon_longitude(Instant at);

/// The new moon of that number; number 0 is the first of the year 2000.
Instant new_moon(std::int64_t number);

/// The number of the last new moon at this moment or before it.
std::int64_t new_moon_before(Instant at);

/// When the sun reaches a longitude for the first time after the moment.
Instant sun_reaches(double longitude, Instant after);

/// The day on which a month (from 1) and day of the Chinese calendar fall in a Gregorian year, by the rule in force:
/// months begin on the day of the new moon in China, the eleventh has the winter solstice, and of thirteen months
/// between two of these the first in which the sun enters no sign is a leap month. A negative month is the leap month
/// behind that number: -6 is 闰六月. The first of two such days; nothing where there is none. Years 1600 to 2400.
std::optional<Moment> chinese_day(std::int64_t year, int month, int day);

/// The day in China on which the sun reaches a longitude in a Gregorian year: the 24 solar terms.
Moment chinese_solar_day(std::int64_t year, int longitude);

/// The day on which a month (from 1) and day of the Islamic calendar fall in a Gregorian year before 1999, by the rule
/// by which Saudi Arabia made its calendar then: a month begins on the day after that of the new moon in UTC (R. H. van
/// Gent, The Umm al-Qura Calendar). The first of two such days; nothing where there is none. From year 1600.
std::optional<Moment> islamic_day(std::int64_t year, int month, int day);

/// When a lunar day of an Indian feast has to run.
enum class IndianHour { kSunrise, kNoon, kAfternoon, kEvening, kMidnight };

/// The day of an Indian feast in a Gregorian year: the lunar month (1 is Chaitra, months end with the new moon), its
/// lunar day 1 to 30 (15 is the full moon) and the hour at which that must run in the middle of India. Leap months have
/// no feasts.
std::optional<Moment> indian_day(std::int64_t year, int month, int lunar_day, IndianHour hour);

/// Vijayadashami in a Gregorian year: the afternoon in which the tenth lunar day of Ashvin runs, of two such the one
/// with the moon in Shravana; where it runs in no afternoon, the day that has it at sunrise. Years 1600 to 2400.
std::optional<Moment> vijayadashami(std::int64_t year);

/// Onam in a Gregorian year: the last day of the solar month of Simha (Chingam) at whose sunrise the moon is in
/// Shravana. Years 1600 to 2400.
std::optional<Moment> onam(std::int64_t year);

}  // namespace weft::timex
