#pragma once

#include <functional>
#include <memory>
#include <optional>

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

}  // namespace weft::timex
