#pragma once

#include <cstdint>
#include <optional>

namespace weft::timex {

/// Seconds since 1970-01-01T00:00 on the clock of the speaker; zones without daylight saving.
using Moment = std::int64_t;

inline constexpr Moment kMinuteSeconds = 60;
inline constexpr Moment kHourSeconds = 3600;
inline constexpr Moment kDaySeconds = 86400;

/// Units of the calendar, from fine to coarse.
enum class Grain { kSecond, kMinute, kHour, kDay, kWeek, kMonth, kQuarter, kHalf, kYear, kDecade, kCentury };

/// A day of the proleptic Gregorian calendar.
struct Civil {
  std::int64_t year = 1970;
  int month = 1, day = 1;
};

/// A stretch of time with exclusive end and the unit in which it was thought.
struct Interval {
  Moment from = 0, to = 0;
  Grain grain = Grain::kDay;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Midnight of a day; the month may be out of 1..12 and is carried into the year, the day likewise.
Moment midnight(std::int64_t year, int month, int day);
Civil civil(Moment at);

/// Whether there is such a day.
bool is_day(std::int64_t year, int month, int day);

/// 1 is Monday, 7 Sunday.
int weekday(Moment at);

/// The beginning of the unit in which a moment lies; weeks begin on Monday.
Moment floor_to(Moment at, Grain grain);

/// A moment `count` units later; days that the month does not have become its last. Counts beyond four million are cut.
Moment add(Moment at, Grain grain, std::int64_t count);

/// The unit that holds the moment, shifted by `count` units.
Interval unit_at(Moment at, Grain grain, std::int64_t count = 0);

/// The Sunday of Easter, of the western or the eastern churches, in the Gregorian calendar.
Moment easter(std::int64_t year, bool orthodox);

/// Calendars of the moon: the Chinese and, before 1999, the Islamic are computed here; of the others ICU knows the
/// days.
enum class Almanac { kChinese, kHebrew, kIslamic };

/// The day on which a month and day (from 1) of that almanac fall in a Gregorian year; `in_year` counts the years of
/// the almanac that touch it. A negative month of the Chinese calendar is the leap month behind that number. Hebrew
/// months count from Tishri with Adar as 7. Nothing where there is no such day in this year.
std::optional<Moment> almanac_day(Almanac almanac, std::int64_t year, int month, int day);

}  // namespace weft::timex
