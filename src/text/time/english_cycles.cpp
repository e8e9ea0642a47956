// Units within others: "the first Monday of", weekends, beginnings and ends.
#include <algorithm>

#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

using Result = std::optional<Node>;

When weekend_of(const Setting& setting, int weeks) {
  const Moment monday = unit_at(setting.now, Grain::kWeek, weeks).from;
  When when =
      date_of(only({monday + 5 * kDaySeconds, monday + 7 * kDaySeconds, Grain::kDay}), Grain::kWeek, kAllFields);
  when.deictic = true;
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
      {"the? <ordinal> <weekday> of|in|,? <coarse>",
       [](const Args& a) -> Result {
         const auto day = a.when(1).date->next(a.setting.now);
         return if_time(nth_weekday(a.when(2), weekday(day->from), a.integer(0)));
       }},
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
       [](const Args& a) -> Result {
         When when = a.when(0);
         when.grain = Grain::kWeek;
         when.date = mapped(a.when(0).date, [](const Interval& day) -> std::optional<Interval> {
           return unit_at(day.from, Grain::kWeek);
         });
         return time_node(std::move(when));
       }},
      {"w / c <daydate>",
       [](const Args& a) -> Result {
         When when = a.when(0);
         when.grain = Grain::kWeek;
         when.date = mapped(a.when(0).date, [](const Interval& day) -> std::optional<Interval> {
           return unit_at(day.from, Grain::kWeek);
         });
         return time_node(std::move(when));
       }},
      {"week <int>",
       [](const Args& a) -> Result {
         const int n = a.integer(0);
         if (n < 1 || n > 53) return std::nullopt;
         return if_time(nth_unit(unit_when(a.setting, Grain::kYear, 0), Grain::kWeek, n));
       }},

      // Weekends begin on Saturday.
      {"the? this|current? weekend|week_end",
       [](const Args& a) -> Result {
         const Moment monday = floor_to(a.setting.now, Grain::kWeek);
         When when =
             date_of(only({monday + 5 * kDaySeconds, monday + 7 * kDaySeconds, Grain::kDay}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"the? last|past|previous weekend|week_end",
       [](const Args& a) -> Result {
         const Moment monday = unit_at(a.setting.now, Grain::kWeek, -1).from;
         When when =
             date_of(only({monday + 5 * kDaySeconds, monday + 7 * kDaySeconds, Grain::kDay}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"the? next|following|coming weekend|week_end",
       [](const Args& a) -> Result {
         const Moment monday = unit_at(a.setting.now, Grain::kWeek, 1).from;
         When when =
             date_of(only({monday + 5 * kDaySeconds, monday + 7 * kDaySeconds, Grain::kDay}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
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
      {"the? last weekend|week_end of|in <coarse>",
       [](const Args& a) -> Result {
         auto saturday = nth_weekday(a.when(0), 6, -1);
         if (!saturday) return std::nullopt;
         saturday->grain = Grain::kWeek;
         saturday->date = mapped(saturday->date, [](const Interval& day) -> std::optional<Interval> {
           return Interval{day.from, day.from + 2 * kDaySeconds, Grain::kDay};
         });
         return if_time(saturday);
       }},

      {"the? beginning|start|early_part of|in <coarse>",
       [](const Args& a) -> Result { return if_time(third_of(a.when(0), 0)); }},
      {"early|early_in <coarse>", [](const Args& a) -> Result { return if_time(half_of(a.when(0), false)); }},
      {"the? middle of|in <coarse>", [](const Args& a) -> Result { return if_time(third_of(a.when(0), 1)); }},
      {"mid|mid_- <coarse>", [](const Args& a) -> Result { return if_time(third_of(a.when(0), 1)); }},
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
      {"the? end of? the? day|eod",
       [](const Args& a) -> Result {
         When when = clock_when(23, 59, 59, Grain::kSecond, false);
         return if_time(combine(unit_when(a.setting, Grain::kDay, 0), when));
       }},
      {"the? eod|cob",
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
         When when = date_of(only({from, unit.to, day ? Grain::kHour : Grain::kDay}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"later|later_in this|the <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain <= Grain::kDay || a[0].grain > Grain::kYear) return std::nullopt;
         const Interval unit = unit_at(a.setting.now, a[0].grain);
         When when =
             date_of(only({floor_to(a.setting.now, Grain::kDay), unit.to, Grain::kDay}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
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
