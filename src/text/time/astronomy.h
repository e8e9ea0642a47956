#pragma once

#include <cstdint>

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

}  // namespace weft::timex
