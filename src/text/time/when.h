#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "text/time/calendar.h"

namespace weft::timex {

/// All moments that words can mean: "Friday" is every Friday, "the 3rd of May" every such day, "tomorrow" one day.
/// Ordered, without overlaps. Immutable, so any thread may ask.
class Series {
 public:
  using Step = std::function<std::optional<Interval>(Moment)>;

  Series(Step next, Step previous) : next_(std::move(next)), previous_(std::move(previous)) {}

  /// The first that begins at the moment or later.
  std::optional<Interval> next(Moment at) const { return next_(at); }
  /// The last that begins before the moment.
  std::optional<Interval> previous(Moment at) const { return previous_(at); }

 private:
  Step next_, previous_;
};

using SeriesPtr = std::shared_ptr<const Series>;

/// One stretch and no other.
SeriesPtr only(Interval interval);

/// Each unit of the calendar.
SeriesPtr each(Grain grain);

/// One a year or none, as the function of the year says; those that are more than `reach` years away are not found.
SeriesPtr yearly(std::function<std::optional<Interval>(std::int64_t)> of_year, int reach = 9);

/// A month of every year, a day of a month of every year, a day of every month, a day of every week (1 is Monday).
SeriesPtr month_series(int month);
SeriesPtr date_series(int month, int day);
SeriesPtr day_of_month_series(int day);
SeriesPtr weekday_series(int weekday);

/// What the function makes of each: "the last week of" March. Results must keep the order.
SeriesPtr mapped(SeriesPtr series, std::function<std::optional<Interval>(const Interval&)> part);

/// Those of the fine series that begin within one of the coarse.
SeriesPtr within(SeriesPtr fine, SeriesPtr coarse);

/// Parts of a date that its words have fixed. Two dates go together where they fix different parts.
enum Field : unsigned {
  kYearField = 1,
  kMonthField = 2,
  kDayField = 4,  ///< day of the month
  kWeekdayField = 8,
  kWeekField = 16,
  kSeasonField = 32,
  kHolidayField = 64,
  kQuarterField = 128,
  kAllFields = 255,
};

/// A time on the clock. `ambiguous`: of the twelve hours, morning or afternoon unsaid.
struct Clock {
  int hour = 0, minute = 0, second = 0;
  Grain grain = Grain::kHour;
  bool ambiguous = false;
};

enum class PartName { kMorning, kNoon, kAfternoon, kEvening, kNight, kOther };

/// A part of the day in minutes since midnight; the end may lie in the next day.
struct PartOfDay {
  PartName name = PartName::kOther;
  int from = 0, to = 0;
  bool into_night = false;  ///< its clock times from midnight to five are those of the next day: 晚上两点
};

/// An amount of time that the words count from a moment: "two weeks ago", "the past six months". It says how exactly
/// the time may be told.
struct Counting {
  double count = 0;  ///< negative: into the past
  Grain unit = Grain::kDay;  ///< the finest that is counted
  bool from_now = true;  ///< else from another time: "two days after Easter"
  bool rolls = false;  ///< all the time of that amount, not the moment at its end
  bool bound = false;  ///< only a limit: "in under two hours", 三天内
};

/// What an expression says about a time, before it is known which of the moments it fits is meant: a date, a part of
/// the day, a clock time, or a stretch between two of them.
struct When {
  SeriesPtr date;  ///< null: the day is left open
  SeriesPtr anyhow;  ///< the date without the weekday that may contradict it
  Grain grain = Grain::kDay;  ///< of the date
  unsigned fields = 0;
  std::optional<PartOfDay> part;
  std::optional<Clock> clock;
  std::optional<int> zone_minutes;
  std::optional<Counting> counting;

  std::shared_ptr<const When> from, to;  ///< a stretch; one of them alone is open at the other side
  bool counts_end =
      false;  ///< the last unit belongs to the stretch ("13 to 15 July"), also to the open one ("after 2010")
  std::optional<std::pair<Grain, std::int64_t>> length;  ///< in place of `to`: "two weeks from Monday"

  bool deictic = false;  ///< its words point at the moment of speaking: "tomorrow", "last week"
  bool dated = false;  ///< fixes the year by itself: "2015", "3 May 2015"
  bool either_week = false;  ///< "next Friday", said on a Monday: of this week to some, of the next to others
  bool is_now = false;
  std::optional<bool> past;  ///< what the words say, whatever the sentence says

  bool is_stretch() const { return from != nullptr || to != nullptr; }
  bool has_time() const { return part.has_value() || clock.has_value(); }
};

using WhenPtr = std::shared_ptr<const When>;

/// A length of time as said, coarse units first: 1 year 2 months.
struct Amount {
  struct Item {
    double count = 0;
    Grain grain = Grain::kDay;
  };
  std::vector<Item> items;
  bool business = false;  ///< working days
  bool bound = false;  ///< no more or no less than it: "under two hours"
};

/// The moment an amount later, or earlier with `sign` -1. Fractions are taken of the next finer unit.
Moment shift(Moment at, const Amount& amount, int sign);

/// What was meant.
struct Meaning {
  std::optional<Moment> from, to;  ///< exclusive end; nothing: open
  Grain grain = Grain::kDay;  ///< the unit the ends are counted in
  bool point = false;  ///< a clock time or a moment rather than the stretch it fills
};

/// The moment of speaking and what is known about the sentence.
struct Setting {
  Moment now = 0;
  int offset_minutes = 0;
  bool past = false;  ///< the sentence tells of the past
};

/// What a time means in its setting; nothing where there is no such time ("30 February") or it leaves the years 1 to
/// 9999.
std::optional<Meaning> resolve(const When& when, const Setting& setting);

/// The stretch of a counting that rolls, with the moment of speaking at its beginning or end, as exactly as its unit
/// is: "the past six months" goes from a month to a month. Nothing for other times.
std::optional<Meaning> rolled(const When& when, const Setting& setting);

/// Two that speak of one time ("Monday" and "at five") as one; nothing where they do not fit.
std::optional<When> combine(const When& a, const When& b);

/// From one time to another; what the first does not say it takes from the second, and the other way about.
std::optional<When> stretch(const When& from, const When& to);

/// From a time on, or only `after_it`; up to a time, or `through_it` to its end.
When open_from(const When& when, bool after_it);
When open_to(const When& when, bool through_it);

}  // namespace weft::timex
