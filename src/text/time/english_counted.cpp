// Days and weeks that are counted from other days: "a week from Friday", "the Monday before Christmas".
#include <algorithm>

#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

using Result = std::optional<Node>;

constexpr Moment kDaysOfWeek = 7;

/// A day that is known, seen from the moment of speaking.
Result that_day(Moment day, bool dated) {
  When when = date_of(only(unit_at(day, Grain::kDay)), Grain::kDay, kAllFields);
  when.deictic = !dated;
  return time_node(std::move(when));
}

/// The weekday nearest to a day, before (-1) or after (1) it.
Result weekday_beside(const Args& a, const When& weekday, const When& day, int sign) {
  const auto begin = begin_of(day, a.setting);
  if (!begin || !weekday.date) return std::nullopt;
  const Moment from = floor_to(*begin, Grain::kDay);
  const auto found = sign > 0 ? weekday.date->next(from + kDaySeconds) : weekday.date->previous(from);
  return found ? that_day(found->from, day.dated) : Result();
}

/// Whole weeks and nothing else: what "Friday week" and "two weeks on Monday" may be counted by.
std::optional<int> weeks_of(const Amount& amount) {
  if (amount.items.size() != 1) return std::nullopt;
  const auto& [count, grain] = amount.items.front();
  if (grain == Grain::kWeek && count == static_cast<int>(count)) return static_cast<int>(count);
  if (grain == Grain::kDay && count == 14) return 2;  // a fortnight
  return std::nullopt;
}

/// The unit beside the one that a day is in: "the week after Easter".
Result unit_beside(const Args& a, Grain grain, const When& day, int sign) {
  if (grain < Grain::kDay || grain >= Grain::kYear) return std::nullopt;
  const auto begin = begin_of(day, a.setting);
  if (!begin) return std::nullopt;
  When when = date_of(only(unit_at(*begin, grain, sign)), grain, kAllFields);
  when.deictic = !day.dated;
  return time_node(std::move(when));
}

/// Saturday and Sunday of the week that a day is in; of a holiday that is a Friday or a Monday, those beside it.
Result weekend_at(const Args& a, const When& day) {
  const auto begin = begin_of(day, a.setting);
  if (!begin) return std::nullopt;
  const int weekday = timex::weekday(*begin);
  const Moment monday = unit_at(*begin, Grain::kWeek, weekday == 1 ? -1 : 0).from;
  When when =
      date_of(only({monday + 5 * kDaySeconds, monday + 7 * kDaySeconds, Grain::kDay}), Grain::kWeek, kAllFields);
  when.deictic = !day.dated;
  return time_node(std::move(when));
}

/// From the evening before its first free day to the end of its last: of a holiday that is a Monday or a Friday.
Result long_weekend(const Args& a, const When& holiday) {
  const auto begin = begin_of(holiday, a.setting);
  if (!begin) return std::nullopt;
  const int weekday = timex::weekday(*begin);
  if (weekday != 1 && weekday != 5) return weekend_at(a, holiday);
  constexpr Moment kEvening = 18 * kHourSeconds;
  const Moment friday = weekday == 1 ? *begin - 3 * kDaySeconds : *begin;
  const Interval free = weekday == 1
                            ? Interval{friday + kEvening, friday + 4 * kDaySeconds, Grain::kHour}
                            : Interval{friday - kDaySeconds + kEvening, friday + 3 * kDaySeconds, Grain::kHour};
  When when = date_of(only(free), Grain::kWeek, kAllFields);
  when.deictic = !holiday.dated;
  return time_node(std::move(when));
}

/// The same place in another unit: "this day next month", "this time next year".
Result same_place(const Args& a, const When& unit) {
  if (!unit.deictic) return std::nullopt;
  const auto begin = begin_of(unit, a.setting);
  if (!begin) return std::nullopt;
  const Moment here = floor_to(a.setting.now, unit.grain);
  const auto days = (floor_to(a.setting.now, Grain::kDay) - here) / kDaySeconds;
  if (unit.grain == Grain::kYear) {
    const Civil now = civil(a.setting.now);
    const std::int64_t year = civil(*begin).year;
    if (!is_day(year, now.month, now.day)) return std::nullopt;
    return that_day(midnight(year, now.month, now.day), false);
  }
  if (unit.grain != Grain::kMonth && unit.grain != Grain::kWeek) return std::nullopt;
  return that_day(*begin + days * kDaySeconds, false);
}

Result night_before(const Args& a, int days) {
  return if_time(combine(unit_when(a.setting, Grain::kDay, -days), part_when(PartName::kNight, 18, 24)));
}

}  // namespace

Rules counted() {
  return {
      {"<amount> on <weekday>",
       [](const Args& a) -> Result {
         const auto weeks = weeks_of(*a[0].amount);
         const auto begin = begin_of(a.when(1), a.setting);
         if (!weeks || !begin) return std::nullopt;
         return that_day(*begin + *weeks * kDaysOfWeek * kDaySeconds, false);
       }},
      {"<weekday> in <amount>",
       [](const Args& a) -> Result {
         const auto weeks = weeks_of(*a[1].amount);
         const auto named = a.when(0).date->next(floor_to(a.setting.now, Grain::kWeek));
         if (!named || !weeks) return std::nullopt;
         return time_node(weekday_of_week(a.setting, weekday(named->from), *weeks));
       }},
      {"<weekday> fortnight",
       [](const Args& a) -> Result {
         const auto begin = begin_of(a.when(0), a.setting);
         return begin ? that_day(*begin + 2 * kDaysOfWeek * kDaySeconds, false) : Result();
       }},
      {"<weekday> ,? <amount> ago",
       [](const Args& a) -> Result {
         const auto weeks = weeks_of(*a[1].amount);
         const auto named = a.when(0).date->next(floor_to(a.setting.now, Grain::kWeek));
         if (!named || !weeks) return std::nullopt;
         return time_node(weekday_of_week(a.setting, weekday(named->from), -*weeks));
       }},
      {"<amount> ago this <unit>",
       [](const Args& a) -> Result {
         if (a[1].grain < Grain::kWeek || a[1].grain >= a[0].amount->items.back().grain) return std::nullopt;
         When when = date_of(only(unit_at(shift(a.setting.now, *a[0].amount, -1), a[1].grain)), a[1].grain, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"<weekday> week",
       [](const Args& a) -> Result {
         const auto begin = begin_of(a.when(0), a.setting);
         return begin ? that_day(*begin + kDaysOfWeek * kDaySeconds, false) : Result();
       }},
      {"<amount> ago today",
       [](const Args& a) -> Result { return that_day(shift(a.setting.now, *a[0].amount, -1), false); }},
      {"<amount> ago yesterday",
       [](const Args& a) -> Result { return that_day(shift(a.setting.now - kDaySeconds, *a[0].amount, -1), false); }},
      {"<amount> ago on|last|this_past? <weekday>",
       [](const Args& a) -> Result {
         if (!weeks_of(*a[0].amount)) return std::nullopt;
         const auto named = a.when(1).date->next(floor_to(a.setting.now, Grain::kWeek));
         if (!named) return std::nullopt;
         return time_node(weekday_of_week(a.setting, weekday(named->from), -*weeks_of(*a[0].amount)));
       }},
      {"the? <weekday> before|preceding|prior_to <daydate>",
       [](const Args& a) { return weekday_beside(a, a.when(0), a.when(1), -1); }},
      {"the? <weekday> after|following <daydate>",
       [](const Args& a) { return weekday_beside(a, a.when(0), a.when(1), 1); }},
      {"the? <weekday> before_last",
       [](const Args& a) -> Result {
         const auto last = a.when(0).date->previous(floor_to(a.setting.now, Grain::kDay));
         return last ? that_day(last->from - kDaysOfWeek * kDaySeconds, false) : Result();
       }},
      {"the? <unit> before|preceding|prior_to <daydate>",
       [](const Args& a) { return unit_beside(a, a[0].grain, a.when(1), -1); }},
      {"the? <unit> after|following <daydate>", [](const Args& a) { return unit_beside(a, a[0].grain, a.when(1), 1); }},
      {"the? weekend|week_end of <daydate>", [](const Args& a) { return weekend_at(a, a.when(0)); }},
      {"<holiday> weekend|week_end", [](const Args& a) { return long_weekend(a, a.when(0)); }},
      {"<holiday> week",
       [](const Args& a) -> Result {
         const auto begin = begin_of(a.when(0), a.setting);
         if (!begin) return std::nullopt;
         When when = date_of(only(unit_at(*begin, Grain::kWeek)), Grain::kWeek, kAllFields);
         when.deictic = !a.when(0).dated;
         return time_node(std::move(when));
       }},
      {"this|that time_of_year|time_of_the_year",
       [](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kMonth, 0)); }},
      {"the|my|our|your|his|her|their? <unit> ahead",
       [](const Args& a) -> Result {
         if (a[0].grain < Grain::kWeek || a[0].grain > Grain::kYear) return std::nullopt;
         When when = rolling_when(a.setting, a[0].grain, 1);
         when.counting.reset();  // the days of "the week ahead" are certain
         return time_node(std::move(when));
       }},
      {"<amount> away",
       [](const Args& a) -> Result {
         // "An hour away" is as often a distance.
         if (a[0].amount->items.back().grain < Grain::kDay) return std::nullopt;
         return time_node(shifted(a.setting.now, *a[0].amount, 1));
       }},
      {"the? first <int> <unit> of|in <coarse>",
       [](const Args& a) { return if_time(edge_units(a.when(2), a[1].grain, a.integer(0), false)); }},
      {"the? last|final <int> <unit> of|in <coarse>",
       [](const Args& a) { return if_time(edge_units(a.when(2), a[1].grain, a.integer(0), true)); }},
      {"week <int> of|in|, <yeartime>",
       [](const Args& a) -> Result {
         if (a.when(1).grain != Grain::kYear) return std::nullopt;
         return if_time(nth_unit(a.when(1), Grain::kWeek, a.integer(0)));
       }},
      {"less_than|under <amount> after|from <time>",
       [](const Args& a) -> Result {
         const auto begin = begin_of(a.when(1), a.setting);
         if (!begin || a.when(1).has_time()) return std::nullopt;
         When when = date_of(only({*begin, shift(*begin, *a[0].amount, 1), Grain::kDay}), Grain::kWeek, kAllFields);
         when.deictic = !a.when(1).dated;
         return time_node(std::move(when));
       }},
      {"the? night|evening before_last", [](const Args& a) { return night_before(a, 2); }},
      {"<int> nights ago", [](const Args& a) { return night_before(a, std::min(a.integer(0), 1000)); }},
      {"this|same time|day of? <coarse>", [](const Args& a) { return same_place(a, a.when(0)); }},
      {"this|same time tomorrow",
       [](const Args& a) -> Result {
         return time_node(shifted(a.setting.now, *amount_node(24, Grain::kHour).amount, 1));
       }},
      {"this|same time yesterday",
       [](const Args& a) -> Result {
         return time_node(shifted(a.setting.now, *amount_node(24, Grain::kHour).amount, -1));
       }},
      {"in <amount> time", [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, 1)); }},
      {"in? <amount> ' time",
       [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, 1)); }},
      {"<daydate> eod|cob|eob|end_of_day|end_of_the_day|close_of_business|end_of_business",
       [](const Args& a) -> Result {
         return if_time(combine(a.when(0), clock_when(23, 59, 59, Grain::kSecond, false)));
       }},
      {"the? eod|cob|eob|end_of_day|end_of_the_day|close_of_business|end_of_business on|of? <daydate>",
       [](const Args& a) -> Result {
         return if_time(combine(a.when(0), clock_when(23, 59, 59, Grain::kSecond, false)));
       }},
      {"fiscal_year|financial_year|fy|academic_year|school_year|calendar_year|cy <int>",
       [](const Args& a) -> Result {
         if (a[0].words || (a[0].digits != 4 && a[0].digits != 2)) return std::nullopt;
         const int year = a[0].digits == 2 ? 2000 + a.integer(0) : a.integer(0);
         return year < 1900 || year > 2100 ? Result() : Result(time_node(year_when(year)));
       }},
      {"from_now_on|henceforth|from_here_on|from_now_onwards|from_now_onward",
       [](const Args&) -> Result { return time_node(open_from(now_when(), false)); }},
      {"up_to_now|until_now|till_now|up_until_now|to_date|so_far",
       [](const Args&) -> Result { return time_node(open_to(now_when(), false)); }},
      {"from <point> on|onward|onwards",
       [](const Args& a) -> Result { return time_node(open_from(a.when(0), false)); }},
  };
}

}  // namespace weft::timex::english
