// Repetitions: "every Monday", and names in the plural: "the nineties".
#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>

#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

using Result = std::optional<Node>;

struct Name {
  std::string_view words;
  int number;
};

constexpr Name kWeekdayPlurals[] = {{"mondays", 1}, {"tuesdays", 2},  {"wednesdays", 3}, {"thursdays", 4},
                                    {"fridays", 5}, {"saturdays", 6}, {"sundays", 7}};

constexpr Name kDecades[] = {{"twenties", 20}, {"thirties", 30},  {"forties", 40},  {"fifties", 50},
                             {"sixties", 60},  {"seventies", 70}, {"eighties", 80}, {"nineties", 90}};

Result with_clock(const std::string& repetition, const Clock& clock) {
  return set_node(repeated_clock(repetition, clock));
}

int weekday_number(const Args& a, std::size_t i) { return weekday(a.when(i).date->next(a.setting.now)->from); }

Result each_weekday(const Args& a, std::string_view part) {
  return set_node(fmt::format("XXXX-WXX-{}{}", weekday_number(a, 0), part));
}

/// "Mon-Fri 9-5", "9 to 5 Monday to Friday": the days of a week and the hour at which they begin.
Result days_of_week(const Args& a, std::size_t days, std::optional<std::size_t> hours) {
  const int first = weekday_number(a, days), last = weekday_number(a, days + 1);
  if (first == last) return std::nullopt;
  const std::string set = fmt::format("XXXX-WXX-{}/{}", first, last);
  return set_node(hours ? set + repeated_clock(*a.when(*hours).clock) : set);
}

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

using Result = std::optional<Node>;

Result season_at(Moment at) {
  for (int season = 0; season < 4; ++season) {
    const auto found = season_when(season).date->previous(at + 1);
    if (!found || found->to <= at) continue;
    When when = date_of(only(*found), Grain::kQuarter, kSeasonField | kYearField);
    when.deictic = true;
    return time_node(std::move(when));
  }
  return std::nullopt;
}

/// The season that runs, or one of those around it.
Result season_away(const Setting& setting, int count) {
  constexpr Moment kMiddle = 45 * kDaySeconds;
  auto here = season_at(setting.now);
  for (int i = 0; here && i < std::abs(count); ++i) {
    const auto unit = here->when->date->next(0);
    if (!unit) return std::nullopt;
    here = season_at(count > 0 ? unit->to + kMiddle : unit->from - kMiddle);
  }
  return here;
}

/// The n-th before now, the running one apart: "two winters ago".
Result seasons_ago(const Args& a, const When& season, int n) {
  auto found = season.date->previous(a.setting.now);
  if (found && found->to > a.setting.now) found = season.date->previous(found->from);
  for (int i = 1; found && i < std::min(n, 100); ++i) found = season.date->previous(found->from);
  if (!found) return std::nullopt;
  When when = date_of(only(*found), Grain::kQuarter, kSeasonField | kYearField);
  when.deictic = true;
  return time_node(std::move(when));
}

/// The n-th nearest of all days that a name means.
Result closest(const When& named, const When& to, int n, const Setting& setting) {
  const auto begin = begin_of(to, setting);
  if (!begin || !named.date || named.has_time() || n < 1 || n > 100) return std::nullopt;
  auto before = named.date->previous(*begin), after = named.date->next(*begin);
  std::optional<Interval> found;
  for (int i = 0; i < n; ++i) {
    const bool back = before && (!after || *begin - before->from <= after->from - *begin);
    found = back ? before : after;
    if (!found) return std::nullopt;
    (back ? before : after) = back ? named.date->previous(found->from) : named.date->next(found->to);
  }
  When when = date_of(only(*found), named.grain, kAllFields);
  when.deictic = !to.dated;
  return time_node(std::move(when));
}

using Result = std::optional<Node>;

/// "18 or older", "through the second": a number or a word that is a time only among others. Years are not.
bool is_unsure(const Node& node) { return node.latent && (node.when->fields & kYearField) == 0; }

Result from_on(const Node& node) {
  const When& when = *node.when;
  if (is_unsure(node) || when.is_stretch() || when.is_now) return std::nullopt;
  return time_node(open_from(when, false));
}

Result up_to(const Node& node, bool through_it) {
  const When& when = *node.when;
  if (is_unsure(node) || when.is_stretch() || when.is_now) return std::nullopt;
  return time_node(open_to(when, through_it));
}

}  // namespace

Rules decades() {
  Rules rules;
  for (const Name& name : kDecades) {
    const std::string word(name.words);
    const int decade = name.number;
    const auto make = [](std::int64_t year) {
      When when = date_of(only(unit_at(midnight(year, 1, 1), Grain::kDecade)), Grain::kDecade, kYearField);
      when.dated = true;
      return time_node(std::move(when));
    };
    static std::vector<std::unique_ptr<std::string>> patterns;  // rules hold views
    patterns.push_back(std::make_unique<std::string>("the " + word));
    rules.push_back(constant(*patterns.back(), make(1900 + decade)));
    patterns.push_back(std::make_unique<std::string>("the? nineteen " + word));
    rules.push_back(constant(*patterns.back(), make(1900 + decade)));
    patterns.push_back(std::make_unique<std::string>("the? eighteen " + word));
    rules.push_back(constant(*patterns.back(), make(1800 + decade)));
    constexpr std::string_view kThirds[] = {"early", "mid|mid_-", "late"};
    for (int third = 0; third < 3; ++third) {
      patterns.push_back(std::make_unique<std::string>("the? " + std::string(kThirds[third]) + " " + word));
      rules.push_back({*patterns.back(), [whole = *make(1900 + decade).when, third](const Args&) {
                         return if_time(third_of(whole, third));
                       }});
    }
  }
  const auto since_2000 = [](int years) {
    When when = date_of(only(unit_at(midnight(2000 + years, 1, 1), Grain::kDecade)), Grain::kDecade, kYearField);
    when.dated = true;
    return time_node(std::move(when));
  };
  rules.push_back(constant("the two_thousands|noughties|aughts|naughties", since_2000(0)));
  rules.push_back(constant("the two_thousand_and_tens|two_thousand_tens|twenty_tens", since_2000(10)));
  rules.push_back(constant("the two_thousand_and_twenties|twenty_twenties", since_2000(20)));
  return rules;
}

Rules repetitions() {
  Rules rules = {
      constant("daily|everyday|every_day|each_day|per_day|a_day|nightly", set_node("P1D")),
      constant("weekly|every_week|each_week|per_week|once_a_week", set_node("P1W")),
      constant("semiannually|semi-annually|half-yearly|biannually|twice_a_year", set_node("P6M")),
      constant("biweekly|bi-weekly|fortnightly", set_node("P2W")),
      constant("monthly|every_month|each_month|per_month|once_a_month", set_node("P1M")),
      constant("bimonthly|bi-monthly", set_node("P2M")),
      constant("quarterly", set_node("P3M")),
      constant("yearly|annually|annual|every_year|each_year|per_year|once_a_year", set_node("P1Y")),
      constant("weekends|every_weekend|each_weekend|at_weekends|on_weekends", set_node("XXXX-WXX-WE")),
      constant("hourly", set_node("PT1H")),
      constant("weekdays|every_weekday", set_node("XXXX-WXX-1/5")),
      {"every|each <unit>",
       [](const Args& a) -> Result { return set_node(iso_duration(*amount_node(1, a[0].grain).amount)); }},
      {"once|twice a|an|per|each|every <unit>",
       [](const Args& a) -> Result { return set_node(iso_duration(*amount_node(1, a[0].grain).amount)); }},
      {"every|each <amount>", [](const Args& a) -> Result { return set_node(iso_duration(*a[0].amount)); }},
      {"every|each other <unit>",
       [](const Args& a) -> Result { return set_node(iso_duration(*amount_node(2, a[0].grain).amount)); }},
      {"every|each <ordinal> <unit>",
       [](const Args& a) -> Result { return set_node(iso_duration(*amount_node(a.number(0), a[1].grain).amount)); }},
      {"every|each second <unit>",
       [](const Args& a) -> Result { return set_node(iso_duration(*amount_node(2, a[0].grain).amount)); }},
      {"<int> times a|an|per|each|every <unit>",
       [](const Args& a) -> Result { return set_node(iso_duration(*amount_node(1, a[1].grain).amount)); }},
      {"every|each <weekday> <part>",
       [](const Args& a) -> Result {
         const std::string part = part_code(a.when(1).part->name);
         if (part.empty()) return std::nullopt;
         return set_node(fmt::format("XXXX-WXX-{}{}", weekday_number(a, 0), part));
       }},
      {"<weekday> mornings", [](const Args& a) { return each_weekday(a, "TMO"); }},
      {"<weekday> afternoons", [](const Args& a) { return each_weekday(a, "TAF"); }},
      {"<weekday> evenings", [](const Args& a) { return each_weekday(a, "TEV"); }},
      {"<weekday> nights", [](const Args& a) { return each_weekday(a, "TNI"); }},
      {"<set> on? the? <dayth>",
       [](const Args& a) -> Result {
         if (*a[0].set != "P1M") return std::nullopt;
         return set_node(fmt::format("XXXX-XX-{:02}", a.integer(1)));
       }},
      {"on? the? <dayth> of every|each month",
       [](const Args& a) -> Result { return set_node(fmt::format("XXXX-XX-{:02}", a.integer(0))); }},
      {"<set> ,? on <monthday>",
       [](const Args& a) -> Result {
         const auto day = a.when(1).date->next(a.setting.now);
         if (*a[0].set != "P1Y" || !day) return std::nullopt;
         return set_node(fmt::format("XXXX-{:02}-{:02}", civil(day->from).month, civil(day->from).day));
       }},
      {"every|each other? <weekday>",
       [](const Args& a) -> Result { return set_node(fmt::format("XXXX-WXX-{}", weekday_number(a, 0))); }},
      {"every|each <monthday>",
       [](const Args& a) -> Result {
         const auto day = a.when(0).date->next(a.setting.now);
         if (!day) return std::nullopt;
         const Civil date = civil(day->from);
         return set_node(fmt::format("XXXX-{:02}-{:02}", date.month, date.day));
       }},
      {"every|each <month>",
       [](const Args& a) -> Result {
         const auto month = a.when(0).date->next(a.setting.now);
         if (!month) return std::nullopt;
         return set_node(fmt::format("XXXX-{:02}", civil(month->from).month));
       }},
      {"<set> ,? on? <weekday>",
       [](const Args& a) -> Result {
         if (*a[0].set != "P1W") return std::nullopt;
         return set_node(fmt::format("XXXX-WXX-{}", weekday_number(a, 1)));
       }},
      {"from? <weekday> -|to|through|thru|until|till|til <weekday> ,|:|(|from|between|at? <clock> "
       "-|to|until|till|til|and "
       "<clock> )?",
       [](const Args& a) { return days_of_week(a, 0, 2); }},
      {"from? <clock> -|to|until|till|til <clock> ,|on? from? <weekday> -|to|through|thru|until|till|til <weekday>",
       [](const Args& a) { return days_of_week(a, 2, 0); }},
      {"every <weekday> -|to|through|thru <weekday>", [](const Args& a) { return days_of_week(a, 0, std::nullopt); }},
      {"<set> ,|:|from|between? <clock> -|to|until|till|and <clock>",
       [](const Args& a) -> Result {
         if (!a[0].set->starts_with("XXXX-WXX-") && *a[0].set != "P1D") return std::nullopt;
         return with_clock(*a[0].set, *a.when(1).clock);
       }},
      {"every|each <holiday>", [](const Args&) -> Result { return set_node("P1Y"); }},
      {"every|each <season>", [](const Args&) -> Result { return set_node("P1Y"); }},
      {"every|each <part>",
       [](const Args& a) -> Result {
         const std::string part = part_code(a.when(0).part->name);
         return part.empty() ? Result() : Result(set_node(part));
       }},
      {"mornings|afternoons|evenings|nights at|@? <clock>",
       [](const Args& a) -> Result { return set_node(repeated_clock(*a.when(0).clock)); }},
      {"every|each <part> at|@|,? <clock>",
       [](const Args& a) -> Result {
         const auto both = combine(a.when(1), a.when(0));
         if (!both) return std::nullopt;
         return set_node(repeated_clock(*both->clock));
       }},
      {"<set> ,? <tclock>", [](const Args& a) { return with_clock(*a[0].set, *a.when(1).clock); }},
      {"<tclock> ,? <set>", [](const Args& a) { return with_clock(*a[1].set, *a.when(0).clock); }},
  };
  for (const Name& name : kWeekdayPlurals) {
    rules.push_back(constant(name.words, time_node(weekday_when(name.number), true)));  // "two Fridays ago"
    rules.push_back(constant(name.words, set_node(fmt::format("XXXX-WXX-{}", name.number))));
  }
  rules.push_back({"on <set>", [](const Args& a) -> Result { return a[0]; }});
  return rules;
}

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

Rules seasons() {
  Rules rules;
  struct Plural {
    std::string_view words;
    int season;
  };
  constexpr Plural kPlurals[] = {
      {"<int> springs ago", 0}, {"<int> summers ago", 1}, {"<int> autumns|falls ago", 2}, {"<int> winters ago", 3}};
  for (const Plural& plural : kPlurals) {
    rules.push_back({std::string(plural.words), [season = plural.season](const Args& a) {
                       return seasons_ago(a, season_when(season), a.integer(0));
                     }});
  }
  append(rules,
         {
             {"the? this|current|present season|seasons", [](const Args& a) { return season_away(a.setting, 0); }},
             {"the? last|past|previous season|seasons", [](const Args& a) { return season_away(a.setting, -1); }},
             {"the? next|coming|upcoming season|seasons", [](const Args& a) { return season_away(a.setting, 1); }},
             {"<season> before_last", [](const Args& a) { return seasons_ago(a, a.when(0), 2); }},
             {"the <season> before_last", [](const Args& a) { return seasons_ago(a, a.when(0), 2); }},
             {"<season> of|in? ' <yy>",
              [](const Args& a) -> Result {
                const int year = a.integer(1);
                When when = a.when(0);
                const When full = year_when(year < 30 ? 2000 + year : 1900 + year);
                when.date = within(a.when(0).date, full.date);
                when.fields |= kYearField;
                when.dated = true;
                return time_node(std::move(when));
              }},
             {"the? closest|nearest <point> to <point>",
              [](const Args& a) { return closest(a.when(0), a.when(1), 1, a.setting); }},
             {"the? <ordinal> closest|nearest <point> to <point>",
              [](const Args& a) { return closest(a.when(1), a.when(2), a.integer(0), a.setting); }},
         });
  return rules;
}

Rules open_ended() {
  return {
      {"<point> or|and later|after|onward|onwards|newer|beyond|thereafter",
       [](const Args& a) { return from_on(a[0]); }},
      {"<point> onward|onwards|forward|forwards|and_on", [](const Args& a) { return from_on(a[0]); }},
      {"from <point> forward|forwards|and_on", [](const Args& a) { return from_on(a[0]); }},
      {"<point> or|and earlier|before|older|prior", [](const Args& a) { return up_to(a[0], false); }},
      {"<point> at_the_earliest", [](const Args& a) { return from_on(a[0]); }},
      {"<point> at_the_latest|latest", [](const Args& a) { return up_to(a[0], true); }},
      {"at_or_after|on_or_later_than|not_before|not_earlier_than|no_sooner_than|not_until|as_early_as|"
       "beginning_on|beginning_from|beginning_in|starting_in|starting_at|commencing|commencing_on|effective|as_of|as_"
       "from "
       "<point>",
       [](const Args& a) { return from_on(a[0]); }},
      {"beginning <point>", [](const Args& a) { return a[0].latent ? Result() : from_on(a[0]); }},
      {"at_or_before|not_later_than|not_after|ending|ending_on|ending_in|finishing|finishing_on <point>",
       [](const Args& a) { return up_to(a[0], false); }},
      {"through|thru|up_to_and_including|until_and_including|as_late_as|until_the_end_of <point>",
       [](const Args& a) -> Result {
         // "Through the night" is all of it.
         if (a.when(0).has_time() || !a.when(0).date) return std::nullopt;
         return up_to(a[0], true);
       }},
      // "What are you up to this evening?" asks for no time.
      {"up_to|up_until <point>",
       [](const Args& a) -> Result {
         if (a.when(0).part) return std::nullopt;
         return up_to(a[0], false);
       }},
      {"all_of|throughout|the_whole_of|the_entirety_of|all_through <coarse>",
       [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"all <coarse>", [](const Args& a) { return a[0].latent ? Result() : Result(time_node(a.when(0))); }},
      {"all_day|the_whole_day <daydate>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"<daydate> all_day", [](const Args& a) -> Result { return time_node(a.when(0)); }},
  };
}

}  // namespace weft::timex::english
