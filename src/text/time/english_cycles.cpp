// Units within others: "the first Monday of", weekends, beginnings and ends.
#include <algorithm>
#include <cstdlib>

#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

using Result = std::optional<Node>;

// The week in which a day lies.
When week_of(const When& day) {
  When week = day;
  week.grain = Grain::kWeek;
  week.date =
      mapped(day.date, [](const Interval& one) -> std::optional<Interval> { return unit_at(one.from, Grain::kWeek); });
  return week;
}

When weekend_of(const Setting& setting, int weeks) {
  const Moment monday = unit_at(setting.now, Grain::kWeek, weeks).from;
  When when =
      date_of(only({monday + 5 * kDaySeconds, monday + 7 * kDaySeconds, Grain::kDay}), Grain::kWeek, kAllFields);
  when.deictic = true;
  return when;
}

/// The one that the tense of the sentence speaks of: "we danced over the weekend".
When any_weekend() {
  When when = date_of(mapped(weekday_series(6),
                             [](const Interval& saturday) -> std::optional<Interval> {
                               return Interval{saturday.from, saturday.from + 2 * kDaySeconds, Grain::kDay};
                             }),
                      Grain::kWeek, kAllFields);
  when.deictic = true;
  return when;
}

/// The n-th day of a longer time, or from its end with negative n, that is no Saturday and no Sunday.
std::optional<When> nth_working_day(const When& whole, int n) {
  if (!whole.date || whole.has_time() || whole.grain <= Grain::kDay || n == 0 || std::abs(n) > 31) return std::nullopt;
  When when = whole;
  when.grain = Grain::kDay;
  when.fields = whole.fields | kDayField | kWeekdayField;
  when.date = mapped(whole.date, [=](const Interval& unit) -> std::optional<Interval> {
    const Moment step = n > 0 ? kDaySeconds : -kDaySeconds;
    int left = std::abs(n);
    for (Moment day = n > 0 ? unit.from : unit.to - kDaySeconds; day >= unit.from && day < unit.to; day += step) {
      if (weekday(day) < 6 && --left == 0) return unit_at(day, Grain::kDay);
    }
    return std::nullopt;
  });
  return when;
}

/// "the day after Thanksgiving": like the holiday one in each year.
Result day_beside(const When& holiday, int days) {
  When when = holiday;
  when.date = mapped(holiday.date, [=](const Interval& day) -> std::optional<Interval> {
    return unit_at(days < 0 ? day.from - kDaySeconds : day.to, Grain::kDay);
  });
  when.grain = Grain::kDay;
  return time_node(std::move(when));
}

/// From the beginning of the running unit to the end of today.
Result so_far(const Setting& setting, Grain grain) {
  const Moment next = floor_to(setting.now, Grain::kDay) + kDaySeconds;
  When when = date_of(only({floor_to(setting.now, grain), next, Grain::kDay}), Grain::kWeek, kAllFields);
  when.deictic = true;
  return time_node(std::move(when));
}

}  // namespace

Rules cycles() {
  return {
      {"the? <ordinal> <unit> of|in <coarse>",
       [](const Args& a) -> Result { return if_time(nth_unit(a.when(2), a[1].grain, a.integer(0))); }},
      {"the? <ordinal> <unit> <coarse>",
       [](const Args& a) -> Result { return if_time(nth_unit(a.when(2), a[1].grain, a.integer(0))); }},
      {"the? <ordinal> last <unit> of|in <coarse>",
       [](const Args& a) -> Result { return if_time(nth_unit(a.when(2), a[1].grain, -a.integer(0))); }},
      {"the? last|final <unit> of|in <coarse>",
       [](const Args& a) -> Result { return if_time(nth_unit(a.when(1), a[0].grain, -1)); }},
      {"the? next_to_last|second_to_last|second_last|penultimate <unit> of|in <coarse>",
       [](const Args& a) -> Result { return if_time(nth_unit(a.when(1), a[0].grain, -2)); }},
      {"the? next_to_last|second_to_last|second_last|penultimate <weekday> of|in <coarse>",
       [](const Args& a) -> Result {
         const auto day = a.when(0).date->next(a.setting.now);
         return if_time(nth_weekday(a.when(1), weekday(day->from), -2));
       }},
      {"the? <ordinal> business_day|working_day|work_day|workday|weekday of|in <coarse>",
       [](const Args& a) -> Result { return if_time(nth_working_day(a.when(1), a.integer(0))); }},
      {"the? last|final business_day|working_day|work_day|workday|weekday of|in <coarse>",
       [](const Args& a) -> Result { return if_time(nth_working_day(a.when(0), -1)); }},
      {"the? <ordinal> weekend|week_end of|in <coarse>",
       [](const Args& a) { return if_time(weekend_within(a.when(1), a.integer(0))); }},
      {"the? <ordinal> <weekday> of|in|,? <coarse>",
       [](const Args& a) -> Result {
         const auto day = a.when(1).date->next(a.setting.now);
         return if_time(nth_weekday(a.when(2), weekday(day->from), a.integer(0)));
       }},
      {"<coarse> <ordinal> <weekday>",
       [](const Args& a) -> Result {
         const auto day = a.when(2).date->next(a.setting.now);
         return if_time(nth_weekday(a.when(0), weekday(day->from), a.integer(1)));
       }},
      {"the? <yearday> day of|in <coarse>",
       [](const Args& a) -> Result { return if_time(nth_unit(a.when(1), Grain::kDay, a.integer(0))); }},
      {"the? <ordinal> last <weekday> of|in <coarse>",
       [](const Args& a) -> Result {
         const auto day = a.when(1).date->next(a.setting.now);
         return if_time(nth_weekday(a.when(2), weekday(day->from), -a.integer(0)));
       }},
      {"the? last|final <weekday> of|in <coarse>",
       [](const Args& a) -> Result {
         const auto day = a.when(0).date->next(a.setting.now);
         return if_time(nth_weekday(a.when(1), weekday(day->from), -1));
       }},
      {"the? <ordinal> <weekday>",
       [](const Args& a) -> Result {
         const auto day = a.when(1).date->next(a.setting.now);
         auto made = if_time(nth_weekday(unit_when(a.setting, Grain::kMonth, 0), weekday(day->from), a.integer(0)));
         return made;
       }},
      {"the? week of|commencing|beginning|starting|commencing_on|beginning_on|starting_on the? <daydate>",
       [](const Args& a) -> Result { return time_node(week_of(a.when(0))); }},
      {"w / c <daydate>", [](const Args& a) -> Result { return time_node(week_of(a.when(0))); }},
      {"week <int>",
       [](const Args& a) -> Result {
         const int n = a.integer(0);
         if (n < 1 || n > 53) return std::nullopt;
         return if_time(nth_unit(unit_when(a.setting, Grain::kYear, 0), Grain::kWeek, n));
       }},

      // Weekends begin on Saturday.
      {"the? this|current|this_coming weekend|week_end",
       [](const Args& a) -> Result { return time_node(weekend_of(a.setting, 0)); }},
      {"the? weekend|week_end", [](const Args&) -> Result { return time_node(any_weekend()); }},
      {"over|at|on|during the? weekend|week_end", [](const Args&) -> Result { return time_node(any_weekend()); }},
      {"the? last|past|previous|this_past weekend|week_end",
       [](const Args& a) -> Result { return time_node(weekend_of(a.setting, -1)); }},
      {"the? next|following|coming weekend|week_end",
       [](const Args& a) -> Result { return time_node(weekend_of(a.setting, 1)); }},
      {"the? weekend after_next", [](const Args& a) -> Result { return time_node(weekend_of(a.setting, 2)); }},
      {"the? weekend before_last", [](const Args& a) -> Result { return time_node(weekend_of(a.setting, -2)); }},
      {"<int> weekend|weekends ago",
       [](const Args& a) -> Result { return time_node(weekend_of(a.setting, -std::min(a.integer(0), 1000))); }},
      {"the? first|1st half of|in <coarse>",
       [](const Args& a) -> Result { return if_time(half_of(a.when(0), false)); }},
      {"the? second|2nd|latter half of|in <coarse>",
       [](const Args& a) -> Result { return if_time(half_of(a.when(0), true)); }},
      {"the day before <holiday>", [](const Args& a) { return day_beside(a.when(0), -1); }},
      {"the day after|following <holiday>", [](const Args& a) { return day_beside(a.when(0), 1); }},
      {"ytd|year_to_date", [](const Args& a) { return so_far(a.setting, Grain::kYear); }},
      {"mtd|month_to_date", [](const Args& a) { return so_far(a.setting, Grain::kMonth); }},
      {"the? last|final weekend|week_end of|in <coarse>",
       [](const Args& a) { return if_time(weekend_within(a.when(0), -1)); }},

      {"the? beginning|start|early_part of|in <coarse>",
       [](const Args& a) -> Result { return if_time(third_of(a.when(0), 0)); }},
      {"early|early_in <coarse>", [](const Args& a) -> Result { return if_time(half_of(a.when(0), false)); }},
      {"the? middle of|in <coarse>", [](const Args& a) -> Result { return if_time(third_of(a.when(0), 1)); }},
      {"mid|mid_- <coarse>", [](const Args& a) -> Result { return if_time(third_of(a.when(0), 1)); }},
      {"the? close of <coarse>", [](const Args& a) -> Result { return if_time(third_of(a.when(0), 2)); }},
      {"the? end of? <coarse>", [](const Args& a) -> Result { return if_time(third_of(a.when(0), 2)); }},
      {"late|late_in <coarse>", [](const Args& a) -> Result { return if_time(half_of(a.when(0), true)); }},
      {"the? eom",
       [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kMonth, 0), 2)); }},
      {"the? end of? month",
       [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kMonth, 0), 2)); }},
      {"the? bom",
       [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kMonth, 0), 0)); }},
      {"the? eoy", [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kYear, 0), 2)); }},
      {"the? end of? year",
       [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kYear, 0), 2)); }},
      {"the? boy",
       [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kYear, 0), 0), true); }},
      {"the? end of? the? day|eod|business_day",
       [](const Args& a) -> Result {
         When when = clock_when(23, 59, 59, Grain::kSecond, false);
         return if_time(combine(unit_when(a.setting, Grain::kDay, 0), when));
       }},
      {"the? eod|cob|close_of_business|end_of_business",
       [](const Args& a) -> Result {
         When when = clock_when(23, 59, 59, Grain::kSecond, false);
         return if_time(combine(unit_when(a.setting, Grain::kDay, 0), when));
       }},
      {"the? end of? <daydate>",
       [](const Args& a) -> Result {
         return if_time(combine(a.when(0), clock_when(23, 59, 59, Grain::kSecond, false)));
       }},
      {"the? rest|remainder of? this|the|the_current|current|my? <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain < Grain::kDay || a[0].grain > Grain::kYear) return std::nullopt;
         const Interval unit = unit_at(a.setting.now, a[0].grain);
         const bool day = a[0].grain == Grain::kDay;
         const Moment from = day ? a.setting.now : floor_to(a.setting.now, Grain::kDay);
         // Who speaks of the rest of a week has the days up to Saturday in mind.
         const Moment sunday = unit.to - kDaySeconds;
         const Moment to = a[0].grain == Grain::kWeek && from < sunday ? sunday : unit.to;
         When when = date_of(only({from, to, day ? Grain::kHour : Grain::kDay}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"the? rest|remainder of <coarse>",
       [](const Args& a) -> Result {
         const auto unit = resolve(a.when(0), a.setting);
         const Moment today = floor_to(a.setting.now, Grain::kDay);
         if (!unit || !unit->from || !unit->to || *unit->from > today || *unit->to <= today) return std::nullopt;
         When when = date_of(only({today, *unit->to, Grain::kDay}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"within the hour", [](const Args& a) -> Result { return time_node(rolling_when(a.setting, Grain::kHour, 1)); }},
      {"later|later_in this|the <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain <= Grain::kDay || a[0].grain > Grain::kYear) return std::nullopt;
         const Interval unit = unit_at(a.setting.now, a[0].grain);
         When when =
             date_of(only({floor_to(a.setting.now, Grain::kDay), unit.to, Grain::kDay}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"later|earlier|sometime tonight|tonite|this_evening",
       [](const Args& a) {
         return if_time(combine(unit_when(a.setting, Grain::kDay, 0), part_when(PartName::kEvening, 18, 24)));
       }},
      {"later|earlier|sometime this <part>",
       [](const Args& a) { return if_time(combine(unit_when(a.setting, Grain::kDay, 0), a.when(0))); }},
      {"later today",
       [](const Args& a) -> Result {
         const Interval unit = unit_at(a.setting.now, Grain::kDay);
         When when = date_of(only({a.setting.now, unit.to, Grain::kHour}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"earlier|earlier_in this|the <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain <= Grain::kDay || a[0].grain > Grain::kYear) return std::nullopt;
         const Interval unit = unit_at(a.setting.now, a[0].grain);
         When when =
             date_of(only({unit.from, floor_to(a.setting.now, Grain::kDay), Grain::kDay}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"earlier today",
       [](const Args& a) -> Result {
         const Interval unit = unit_at(a.setting.now, Grain::kDay);
         When when = date_of(only({unit.from, a.setting.now, Grain::kHour}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
  };
}

}  // namespace weft::timex::english
