#include "text/time/series.h"

#include <algorithm>
#include <utility>

namespace weft::timex {
namespace {

// "Friday the 13th" and "29 February" come within this many tries; what never comes must end.
constexpr int kTries = 60;

SeriesPtr make(Series::Step next, Series::Step previous) {
  return std::make_shared<const Series>(std::move(next), std::move(previous));
}

}  // namespace

SeriesPtr only(Interval interval) {
  return make([=](Moment at) { return interval.from >= at ? std::optional(interval) : std::nullopt; },
              [=](Moment at) { return interval.from < at ? std::optional(interval) : std::nullopt; });
}

SeriesPtr each(Grain grain) {
  return make(
      [=](Moment at) -> std::optional<Interval> {
        const Interval here = unit_at(at, grain);
        return here.from >= at ? here : unit_at(at, grain, 1);
      },
      [=](Moment at) -> std::optional<Interval> { return unit_at(at - 1, grain); });
}

SeriesPtr yearly(std::function<std::optional<Interval>(std::int64_t)> of_year, int reach) {
  // A stretch named after a year may begin in the one before (winter), and leap days skip up to eight years.
  const auto walk = [of_year = std::move(of_year), reach](Moment at, bool forward) -> std::optional<Interval> {
    const std::int64_t year = civil(at).year;
    for (int i = -1; i <= reach; ++i) {
      const auto found = of_year(forward ? year + i : year - i);
      if (found && (forward ? found->from >= at : found->from < at)) return found;
    }
    return std::nullopt;
  };
  return make([walk](Moment at) { return walk(at, true); }, [walk](Moment at) { return walk(at, false); });
}

SeriesPtr month_series(int month) {
  return yearly(
      [=](std::int64_t year) -> std::optional<Interval> { return unit_at(midnight(year, month, 1), Grain::kMonth); });
}

SeriesPtr date_series(int month, int day) {
  return yearly([=](std::int64_t year) -> std::optional<Interval> {
    if (!is_day(year, month, day)) return std::nullopt;
    return unit_at(midnight(year, month, day), Grain::kDay);
  });
}

SeriesPtr day_of_month_series(int day) {
  return mapped(each(Grain::kMonth), [=](const Interval& month) -> std::optional<Interval> {
    const Moment at = month.from + (day - 1) * kDaySeconds;
    if (at >= month.to) return std::nullopt;
    return unit_at(at, Grain::kDay);
  });
}

SeriesPtr weekday_series(int weekday) {
  return mapped(each(Grain::kWeek), [=](const Interval& week) -> std::optional<Interval> {
    return unit_at(week.from + (weekday - 1) * kDaySeconds, Grain::kDay);
  });
}

SeriesPtr mapped(SeriesPtr series, std::function<std::optional<Interval>(const Interval&)> part) {
  return make(
      [=](Moment at) -> std::optional<Interval> {
        auto whole = series->previous(at);
        if (!whole) whole = series->next(at);
        for (int i = 0; whole && i < kTries; ++i, whole = series->next(whole->from + 1)) {
          const auto found = part(*whole);
          if (found && found->from >= at) return found;
        }
        return std::nullopt;
      },
      [=](Moment at) -> std::optional<Interval> {
        auto whole = series->next(at);
        if (!whole) whole = series->previous(at);
        for (int i = 0; whole && i < kTries; ++i, whole = series->previous(whole->from)) {
          const auto found = part(*whole);
          if (found && found->from < at) return found;
        }
        return std::nullopt;
      });
}

SeriesPtr within(SeriesPtr fine, SeriesPtr coarse) {
  return make(
      [=](Moment at) -> std::optional<Interval> {
        auto whole = coarse->previous(at);
        if (!whole || whole->to <= at) whole = coarse->next(at);
        for (int i = 0; whole && i < kTries; ++i, whole = coarse->next(whole->from + 1)) {
          const auto found = fine->next(std::max(at, whole->from));
          if (found && found->from < whole->to) return found;
        }
        return std::nullopt;
      },
      [=](Moment at) -> std::optional<Interval> {
        auto whole = coarse->previous(at);
        for (int i = 0; whole && i < kTries; ++i, whole = coarse->previous(whole->from)) {
          const auto found = fine->previous(std::min(at, whole->to));
          if (found && found->from >= whole->from) return found;
        }
        return std::nullopt;
      });
}

}  // namespace weft::timex
