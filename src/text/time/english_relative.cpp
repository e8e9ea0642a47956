// What counts from the moment of speaking: "yesterday", "next Friday", "two weeks ago".
#include <algorithm>
#include <cstdlib>

#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

using Result = std::optional<Node>;

Result weekday_away(const Args& a, const When& weekday, int sign) {
  // "next Friday" is that of next week; "last Friday" the one just past.
  const auto named = weekday.date->next(floor_to(a.setting.now, Grain::kWeek));
  if (!named) return std::nullopt;
  const int day = timex::weekday(named->from);
  const int weeks = sign > 0 ? 1 : day < timex::weekday(a.setting.now) ? 0 : -1;
  When when = weekday_of_week(a.setting, day, weeks);
  when.either_week = true;
  return time_node(std::move(when));
}

/// "this past Friday": the one just past, whatever "last Friday" may be.
Result weekday_gone(const Args& a, const When& weekday) {
  auto node = weekday_away(a, weekday, -1);
  if (!node) return std::nullopt;
  When when = *node->when;
  when.either_week = false;
  return time_node(std::move(when));
}

Result working_day(const Args& a, int sign) {
  Amount one;
  one.items.push_back({1, Grain::kDay});
  one.business = true;
  return time_node(shifted(a.setting.now, one, sign));
}

/// "this Friday", "the coming Friday": the next one; in a story the last.
Result this_weekday(const When& weekday) {
  When when = weekday;
  when.deictic = true;
  return time_node(std::move(when));
}

Result some(const Args& a, Grain grain) { return time_node(near_units(a.setting, grain, 3)); }
Result some_units(const Args& a, int count) { return time_node(near_units(a.setting, a[0].grain, count)); }

/// The n-th occurrence from now: forward from 1, back from -1.
Result occurrence(const Args& a, const When& when, int n) {
  if (!when.date || when.has_time()) return std::nullopt;
  const Moment today = floor_to(a.setting.now, Grain::kDay);
  auto found =
      n > 0 ? when.date->next(when.grain == Grain::kDay ? today + kDaySeconds : today) : when.date->previous(today);
  if (n < 0 && found && found->to > today) found = when.date->previous(found->from);
  for (int i = 1; found && i < std::min(std::abs(n), 100); ++i) {
    found = n > 0 ? when.date->next(found->from + 1) : when.date->previous(found->from);
  }
  if (!found) return std::nullopt;
  When chosen = when;
  chosen.date = only(*found);
  chosen.fields |= kYearField;
  chosen.deictic = true;
  return time_node(std::move(chosen));
}

/// An amount before or after a time; of a day that comes again each year, such a day of each.
Result beside(const Args& a, const Node& amount, const When& anchor, int sign) {
  const auto begin = begin_of(anchor, a.setting);
  if (!begin) return std::nullopt;
  When when = shifted(*begin, *amount.amount, sign);
  when.counting->from_now = false;
  const bool recurs = anchor.date && !anchor.deictic && !anchor.dated && anchor.fields == kHolidayField;
  if (recurs && !anchor.has_time() && when.grain == Grain::kDay) {
    when = anchor;
    when.grain = Grain::kDay;
    when.date = mapped(anchor.date, [by = *amount.amount, sign](const Interval& day) -> std::optional<Interval> {
      return unit_at(shift(day.from, by, sign), Grain::kDay);
    });
    return time_node(std::move(when));
  }
  when.deictic = !anchor.dated;
  return time_node(std::move(when));
}

/// "10m ago", as clocks of programs write it.
Result some_ago(const Args& a, Grain grain) {
  if (a[0].words || a.number(0) > 1000) return std::nullopt;
  return time_node(shifted(a.setting.now, *amount_node(a.number(0), grain).amount, -1));
}

/// From now to the end of a unit.
Result until_end(const Args& a, const When& unit) {
  const auto meaning = resolve(unit, a.setting);
  if (!meaning || !meaning->to) return std::nullopt;
  if (*meaning->to <= a.setting.now) return time_node(open_to(unit, true));
  // A stretch, so that it goes before "by" with the end as a time of its own.
  return if_time(
      stretch(now_when(), date_of(only({*meaning->to, *meaning->to + 1, Grain::kSecond}), Grain::kSecond, kAllFields)));
}

using Result = std::optional<Node>;

struct Name {
  std::string_view words;
  int number;
  bool latent;  ///< also an ordinary word
};

constexpr Name kMonths[] = {
    {"january|jan", 1, false},
    {"february|feb", 2, false},
    {"march|mar", 3, true},
    {"april|apr", 4, false},
    {"may", 5, true},
    {"june|jun", 6, false},
    {"july|jul", 7, false},
    {"august|aug", 8, false},
    {"september|sept|sep", 9, false},
    {"october|oct", 10, false},
    {"november|nov", 11, false},
    {"december|dec", 12, false},
};
constexpr Name kWeekdays[] = {
    {"monday|mon", 1, false},
    {"tuesday|tue|tues", 2, false},
    {"wednesday|wed|weds", 3, false},
    {"thursday|thu|thur|thurs", 4, false},
    {"friday|fri", 5, false},
    {"saturday", 6, false},
    {"sunday", 7, false},
    {"sat", 6, true},
    {"sun", 7, true},
};

constexpr Name kDottedMonths[] = {{"jan.", 1, false},  {"feb.", 2, false},       {"mar.", 3, true},
                                  {"apr.", 4, false},  {"jun.", 6, false},       {"jul.", 7, false},
                                  {"aug.", 8, false},  {"sep.|sept.", 9, false}, {"oct.", 10, false},
                                  {"nov.", 11, false}, {"dec.", 12, false}};
constexpr Name kDottedWeekdays[] = {{"mon.", 1, false},        {"tue.|tues.", 2, false}, {"wed.", 3, false},
                                    {"thu.|thurs.", 4, false}, {"fri.", 5, false},       {"sat.", 6, true},
                                    {"sun.", 7, true}};
constexpr Name kSeasons[] = {
    {"spring", 0, true}, {"summer", 1, true}, {"autumn", 2, true}, {"fall", 2, true}, {"winter", 3, true}};

Result dated(const When& month, int day, const When* year) {
  When date = day_of_month(day);
  auto both = combine(date, month);
  if (both && year != nullptr) both = combine(*both, *year);
  return if_time(both);
}

}  // namespace

Rules from_now() {
  return {
      {"now|right_now|just_now|at_the_moment|currently|at_present|at_this_moment",
       [](const Args&) -> Result { return time_node(now_when()); }},
      {"atm|this_moment|the_moment", [](const Args&) -> Result { return time_node(now_when(), true); }},
      constant(
          "now_and_then|now_and_again|every_now_and_then|every_now_and_again|now_that|even_now|any_day_now|one_day|"
          "some_day|day_to_day|day_by_day|day_in_day_out|day_after_day|year_after_year|year_by_year|second_one|"
          "the_other_day|second_thoughts|second_hand|second_time|first_time|24_/_7|7_/_24|may_be|in_no_time|sat_in|"
          "sat_on|sat_at|sat_down|the_sun|in_the_sun|day_off|day_job|minute_by_minute|for_the_moment_being",
          idiom_node()),
      {"today|todays|at_this_time|this_day|the_current_day",
       [](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kDay, 0)); }},
      {"tomorrow|tomorrows|tmrw|tmr|tmw|tomorow|tommorow|tommorrow|next_day",
       [](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kDay, 1)); }},
      {"yesterday|yesterdays|yday|last_day|the_last_day",
       [](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kDay, -1)); }},
      {"the? day_after_tomorrow",
       [](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kDay, 2)); }},
      {"the? day_before_yesterday",
       [](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kDay, -2)); }},

      {"the? this|current|the_current|the_same|same|present <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain <= Grain::kDay) return std::nullopt;
         return time_node(unit_when(a.setting, a[0].grain, 0));
       }},
      {"this whole|entire <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain < Grain::kDay) return std::nullopt;
         return time_node(unit_when(a.setting, a[0].grain, 0));
       }},
      {"the|my <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain <= Grain::kDay || a[0].grain > Grain::kYear) return std::nullopt;
         return time_node(unit_when(a.setting, a[0].grain, 0), true);
       }},
      {"the? next|coming|upcoming|following <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain < Grain::kDay) return time_node(rolling_when(a.setting, a[0].grain, 1));
         return time_node(unit_when(a.setting, a[0].grain, 1));
       }},
      {"the? last|past|previous|prior|prev <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain < Grain::kDay) return time_node(rolling_when(a.setting, a[0].grain, -1));
         return time_node(unit_when(a.setting, a[0].grain, -1));
       }},
      {"the? next|coming|upcoming|following <int> <unit>",
       [](const Args& a) -> Result { return time_node(units_when(a.setting, a[1].grain, a.integer(0))); }},
      {"in|over|during|for the? next|coming|upcoming|following <int> <unit>",
       [](const Args& a) -> Result { return time_node(near_units(a.setting, a[1].grain, a.integer(0))); }},
      {"in|over|during|for the? last|previous|prior <int> <unit>",
       [](const Args& a) -> Result { return time_node(near_units(a.setting, a[1].grain, -a.integer(0))); }},
      {"the? next|coming half|half_an hour",
       [](const Args& a) -> Result { return time_node(rolling_when(a.setting, Grain::kMinute, 30)); }},
      {"the? last|past|previous half|half_an hour",
       [](const Args& a) -> Result { return time_node(rolling_when(a.setting, Grain::kMinute, -30)); }},
      {"in|over|during|for the coming|upcoming days", [](const Args& a) { return some(a, Grain::kDay); }},
      {"in|over|during|for the coming|upcoming weeks", [](const Args& a) { return some(a, Grain::kWeek); }},
      {"in|over|during|for the coming|upcoming months", [](const Args& a) { return some(a, Grain::kMonth); }},
      {"in|over|during|for the coming|upcoming years", [](const Args& a) { return some(a, Grain::kYear); }},
      {"<int> upcoming|coming <unit>",
       [](const Args& a) -> Result { return time_node(units_when(a.setting, a[1].grain, a.integer(0))); }},
      {"the? past|preceding <int> <unit>",
       [](const Args& a) -> Result { return time_node(rolling_when(a.setting, a[1].grain, -a.integer(0))); }},
      {"the? past few|several <unit>",
       [](const Args& a) -> Result { return time_node(rolling_when(a.setting, a[0].grain, -3)); }},
      {"the? past couple|couple_of <unit>",
       [](const Args& a) -> Result { return time_node(rolling_when(a.setting, a[0].grain, -2)); }},
      {"the? last|previous|prior <int> <unit>",
       [](const Args& a) -> Result { return time_node(units_when(a.setting, a[1].grain, -a.integer(0))); }},
      {"the? next|coming|upcoming few|several <unit>", [](const Args& a) { return some_units(a, 3); }},
      {"the? next|coming|upcoming couple|couple_of <unit>", [](const Args& a) { return some_units(a, 2); }},
      {"the? last|previous few|several <unit>", [](const Args& a) { return some_units(a, -3); }},
      {"the? last|previous couple|couple_of <unit>", [](const Args& a) { return some_units(a, -2); }},
      {"the? <unit> after_next",
       [](const Args& a) -> Result { return time_node(unit_when(a.setting, a[0].grain, 2)); }},
      {"the? <unit> before_last",
       [](const Args& a) -> Result { return time_node(unit_when(a.setting, a[0].grain, -2)); }},

      {"the? following <weekday>", [](const Args& a) { return this_weekday(a.when(0)); }},
      {"the? next <weekday>", [](const Args& a) { return weekday_away(a, a.when(0), 1); }},
      {"the? last <weekday>", [](const Args& a) { return weekday_away(a, a.when(0), -1); }},
      {"the? past|previous <weekday>", [](const Args& a) { return weekday_gone(a, a.when(0)); }},
      {"this_past <weekday>", [](const Args& a) { return weekday_gone(a, a.when(0)); }},
      {"this|the_coming|coming|upcoming|this_coming <weekday>", [](const Args& a) { return this_weekday(a.when(0)); }},
      {"<weekday> next", [](const Args& a) { return weekday_away(a, a.when(0), 1); }},
      {"<weekday> last", [](const Args& a) { return weekday_away(a, a.when(0), -1); }},
      {"in <int> <weekday>", [](const Args& a) { return occurrence(a, a.when(1), a.integer(0)); }},
      {"the? next business|working|work day", [](const Args& a) { return working_day(a, 1); }},
      {"the? last|previous business|working|work day", [](const Args& a) { return working_day(a, -1); }},
      {"<weekday> after_next", [](const Args& a) { return occurrence(a, a.when(0), 2); }},
      {"<month> after_next", [](const Args& a) { return occurrence(a, a.when(0), 2); }},
      {"the? <weekday> of|in|from|,? this|the_current|current week",
       [](const Args& a) -> Result { return if_time(combine(a.when(0), unit_when(a.setting, Grain::kWeek, 0))); }},
      {"<coarse> <weekday>", [](const Args& a) { return if_time(combine(a.when(1), a.when(0))); }},
      {"<int> <weekday> from_now|later|hence", [](const Args& a) { return occurrence(a, a.when(1), a.integer(0)); }},
      {"<int> <weekday> ago|back", [](const Args& a) { return occurrence(a, a.when(1), -a.integer(0)); }},
      {"the? next|coming|upcoming <holiday>", [](const Args& a) { return occurrence(a, a.when(0), 1); }},
      {"the? last|past|previous <holiday>", [](const Args& a) { return occurrence(a, a.when(0), -1); }},
      {"the? next|coming|upcoming <month>", [](const Args& a) { return occurrence(a, a.when(0), 1); }},
      {"the? last|past|previous <month>",
       [](const Args& a) -> Result {
         // "last September", said in November, is not the one just past but that of the year before.
         return if_time(combine(a.when(0), unit_when(a.setting, Grain::kYear, -1)));
       }},
      {"this <month>",
       [](const Args& a) -> Result { return if_time(combine(a.when(0), unit_when(a.setting, Grain::kYear, 0))); }},
      {"this <holiday>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"this|the_coming|coming <season>",
       [](const Args& a) -> Result {
         When when = a.when(0);
         when.deictic = true;
         when.past.reset();
         return time_node(std::move(when));
       }},
      {"next <season>", [](const Args& a) { return occurrence(a, a.when(0), 1); }},
      {"last|past|previous <season>", [](const Args& a) { return occurrence(a, a.when(0), -1); }},

      {"in another? <amount>",
       [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, 1)); }},
      {"in about|around|approximately|exactly|roughly <amount>",
       [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, 1)); }},
      {"within less_than|about|around|approximately|exactly|roughly <amount>",
       [](const Args& a) { return if_time(shifted(a.setting.now, *limit(a[0])->amount, 1)); }},
      {"<amount> from_now|hence|from_today|from_this_moment|later|after_today|from_right_now",
       [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, 1)); }},
      {"<amount> ago|earlier|before_now|back|before_today|prior",
       [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, -1)); }},
      {"<int> s ago", [](const Args& a) { return some_ago(a, Grain::kSecond); }},
      {"<int> m ago", [](const Args& a) { return some_ago(a, Grain::kMinute); }},
      {"<int> d ago", [](const Args& a) { return some_ago(a, Grain::kDay); }},
      {"<int> w ago", [](const Args& a) { return some_ago(a, Grain::kWeek); }},
      {"<int> y ago", [](const Args& a) { return some_ago(a, Grain::kYear); }},
      {"few|several <unit> ago",
       [](const Args& a) -> Result {
         return time_node(shifted(a.setting.now, *amount_node(3, a[0].grain).amount, -1));
       }},
      {"<amount> from|after|following <time>", [](const Args& a) { return beside(a, a[0], a.when(1), 1); }},
      {"<amount> before|prior_to|ahead_of <time>", [](const Args& a) { return beside(a, a[0], a.when(1), -1); }},
      {"<point> in|, <int> year|years",
       [](const Args& a) -> Result {
         if ((a.when(0).fields & kYearField) != 0) return std::nullopt;
         return if_time(combine(a.when(0), unit_when(a.setting, Grain::kYear, a.integer(1))));
       }},
      {"<point> <int> year|years ago",
       [](const Args& a) -> Result {
         return if_time(combine(a.when(0), unit_when(a.setting, Grain::kYear, -a.integer(1))));
       }},
      {"more_than|over <amount> after|from <time>",
       [](const Args& a) -> Result {
         const auto begin = begin_of(a.when(1), a.setting);
         if (!begin) return std::nullopt;
         return time_node(open_from(shifted(*begin, *a[0].amount, 1), false));
       }},
      {"more_than|over <amount> before <time>",
       [](const Args& a) -> Result {
         const auto begin = begin_of(a.when(1), a.setting);
         if (!begin) return std::nullopt;
         return time_node(open_to(shifted(*begin, *a[0].amount, -1), false));
       }},
      {"<holiday> in <amount>",
       [](const Args& a) -> Result {
         const auto found = a.when(0).date->next(floor_to(shift(a.setting.now, *a[1].amount, 1), Grain::kMonth));
         if (!found) return std::nullopt;
         When when = date_of(only(*found), a.when(0).grain, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"<holiday> <amount> ago",
       [](const Args& a) -> Result {
         const auto found = a.when(0).date->next(floor_to(shift(a.setting.now, *a[1].amount, -1), Grain::kMonth));
         if (!found) return std::nullopt;
         When when = date_of(only(*found), a.when(0).grain, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"by|until|till|before the? end of? <coarse>", [](const Args& a) -> Result { return until_end(a, a.when(0)); }},
      {"by|until|till|before the? eom|end_of_month|end_of_the_month",
       [](const Args& a) -> Result { return until_end(a, unit_when(a.setting, Grain::kMonth, 0)); }},
      {"by|until|till|before the? eoy|end_of_year|end_of_the_year",
       [](const Args& a) -> Result { return until_end(a, unit_when(a.setting, Grain::kYear, 0)); }},
      {"recently|lately|these_days|of_late|nowadays",
       [](const Args& a) -> Result { return time_node(rolling_when(a.setting, Grain::kDay, -30)); }},
  };
}

Rules names() {
  Rules rules;
  for (const Name& name : kMonths) {
    rules.push_back(constant(name.words, time_node(month_when(name.number), name.latent)));
  }
  for (const Name& name : kDottedMonths) {
    rules.push_back(constant(name.words, time_node(month_when(name.number), name.latent)));
  }
  for (const Name& name : kDottedWeekdays) {
    rules.push_back(constant(name.words, time_node(weekday_when(name.number), name.latent)));
  }
  for (const Name& name : kWeekdays) {
    rules.push_back(constant(name.words, time_node(weekday_when(name.number), name.latent)));
  }
  for (const Name& name : kSeasons) {
    rules.push_back(constant(name.words, time_node(season_when(name.number), name.latent)));
  }
  append(
      rules,
      {
      // After these words even "may" and "fall" are names.
          {"in|during|throughout the? <month>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
          {"in|during|throughout the? <season>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
          {"before|until|till|by|up_to the? <season>",
           [](const Args& a) -> Result {
             When coming = a.when(0);
             coming.past = false;
             return time_node(open_to(coming, false));
           }},
          {"after|since the? <season>", [](const Args& a) -> Result { return time_node(open_from(a.when(0), false)); }},
          {"the <season>", [](const Args& a) -> Result { return time_node(a.when(0), true); }},
          {"<season> of|in|,? <yeartime>",
           [](const Args& a) -> Result {
             When when = a.when(0);
             when.date = within(a.when(0).date, a.when(1).date);
             when.fields |= kYearField;
             when.dated = a.when(1).dated;
             when.deictic = a.when(1).deictic;
             return time_node(std::move(when));
           }},
          {"<quarter> of|in|,? <yeartime>", [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},
          {"<yeartime> <quarter>", [](const Args& a) { return if_time(combine(a.when(1), a.when(0))); }},
      });
  return rules;
}

Rules dates() {
  return {
      {"<month> the? <eday>", [](const Args& a) { return dated(a.when(0), a.integer(1), nullptr); }},
      {"<month> /|-|. <eday>",
       [](const Args& a) -> Result {
         if (a[1].words) return std::nullopt;
         return dated(a.when(0), a.integer(1), nullptr);
       }},
      {"<eday> of? <month>", [](const Args& a) { return dated(a.when(1), a.integer(0), nullptr); }},
      {"the <eday> day? of? <month>", [](const Args& a) { return dated(a.when(1), a.integer(0), nullptr); }},
      {"<dayth> day of|in <month>", [](const Args& a) { return dated(a.when(1), a.integer(0), nullptr); }},
      {"the? ides of <month>",
       [](const Args& a) {
         When date = date_of(mapped(a.when(0).date,
                                    [](const Interval& month) -> std::optional<Interval> {
                                      const int number = civil(month.from).month;
                                      const bool long_one = number == 3 || number == 5 || number == 7 || number == 10;
                                      return unit_at(month.from + (long_one ? 14 : 12) * kDaySeconds, Grain::kDay);
                                    }),
                             Grain::kDay, kMonthField | kDayField);
         return if_time(date);
       }},
      {"<yyyy>", [](const Args& a) -> Result { return time_node(year_when(a.integer(0)), true); }},
      {"year|the_year|in_year|in_the_year <int>",
       [](const Args& a) -> Result {
         if (a.number(0) < 1 || a.number(0) > 2999) return std::nullopt;
         return time_node(year_when(a.integer(0)));
       }},
      {"<int> ad|a.d.|ce|c.e.",
       [](const Args& a) -> Result {
         if (a.number(0) < 1 || a.number(0) > 2999) return std::nullopt;
         return time_node(year_when(a.integer(0)));
       }},
      {"ad|a.d. <int>",
       [](const Args& a) -> Result {
         if (a[0].words || a.number(0) < 1 || a.number(0) > 2999) return std::nullopt;
         return time_node(year_when(a.integer(0)));
       }},
      {"in|during <yyyy>", [](const Args& a) -> Result { return time_node(year_when(a.integer(0))); }},
      // Latent, so that "beginning of 2017" is no time from then on.
      {"of <yyyy>", [](const Args& a) -> Result { return time_node(year_when(a.integer(0)), true); }},
      {"<month> of|,|-|/|in? <yyyy>",
       [](const Args& a) { return if_time(combine(a.when(0), year_when(a.integer(1)))); }},
      {"<yyyy> of|,|-|/? <month>", [](const Args& a) { return if_time(combine(a.when(1), year_when(a.integer(0)))); }},
      {"<monthday> ,|of|-|/|.? <yyyy>",
       [](const Args& a) { return if_time(combine(a.when(0), year_when(a.integer(1)))); }},
      {"<monthday> ,|/|'|,_' <yy>",
       [](const Args& a) {
         const int year = a.integer(1);
         return if_time(combine(a.when(0), year_when(year < 30 ? 2000 + year : 1900 + year)));
       }},
      {"<month> ,? ' <yy>",
       [](const Args& a) {
         const int year = a.integer(1);
         return if_time(combine(a.when(0), year_when(year < 30 ? 2000 + year : 1900 + year)));
       }},
      {"the? month of <month>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"the? month of <yearmonth>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"the? year of <yyyy>", [](const Args& a) -> Result { return time_node(year_when(a.integer(0))); }},
      {"<dd> - <month> - <yy>",
       [](const Args& a) {
         const int year = a.integer(2);
         const When full = year_when(year < 30 ? 2000 + year : 1900 + year);
         return dated(a.when(1), a.integer(0), &full);
       }},
      {"<dd> <month> <yy>",
       [](const Args& a) {
         const int year = a.integer(2);
         const When full = year_when(year < 30 ? 2000 + year : 1900 + year);
         return dated(a.when(1), a.integer(0), &full);
       }},
      {"<dd> . <month>", [](const Args& a) { return dated(a.when(1), a.integer(0), nullptr); }},
      {"<timed> <yyyy>",
       [](const Args& a) -> Result {
         if ((a.when(0).fields & (kMonthField | kYearField)) != kMonthField) return std::nullopt;
         When day = a.when(0);  // years go with days, not with hours
         day.clock.reset();
         const auto both = combine(day, year_when(a.integer(1)));
         if (!both) return std::nullopt;
         When when = *both;
         when.clock = a.when(0).clock;
         when.zone_minutes = a.when(0).zone_minutes;
         return time_node(std::move(when));
       }},
      {"<yyyy> / <month> / <dd>",
       [](const Args& a) {
         const When year = year_when(a.integer(0));
         return dated(a.when(1), a.integer(2), &year);
       }},
      {"<yyyy> - <month> - <dd>",
       [](const Args& a) {
         const When year = year_when(a.integer(0));
         return dated(a.when(1), a.integer(2), &year);
       }},
      {"<dd> -|/ <month>", [](const Args& a) { return dated(a.when(1), a.integer(0), nullptr); }},
      {"the <dayth>",
       [](const Args& a) -> Result {
         return time_node(day_of_month(a.integer(0)), a.number(0) < 4 || (a[0].words && a.number(0) <= 20));
       }},
      {"on the? <dayth>", [](const Args& a) -> Result { return time_node(day_of_month(a.integer(0))); }},
      {"on|for_the the? <dd>",
       [](const Args& a) -> Result { return time_node(day_of_month(a.integer(0)), a[0].number < 13); }},
      {"<weekday> ,? the? <eday>",
       [](const Args& a) { return if_time(combine(a.when(0), day_of_month(a.integer(1)))); }},
      {"<dayth> <coarse>",
       [](const Args& a) -> Result {
         if ((a.when(1).fields & kMonthField) == 0 || !a.when(1).deictic) return std::nullopt;
         return if_time(combine(day_of_month(a.integer(0)), a.when(1)));
       }},
      {"the? <eday> of|in <coarse>",
       [](const Args& a) -> Result {
         if ((a.when(1).fields & kMonthField) == 0) return std::nullopt;
         return if_time(combine(day_of_month(a.integer(0)), a.when(1)));
       }},
      {"<weekday> -|,? (|,? <monthday> )?", [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},
      {"this|last|next <weekday> (|,|-? <monthday> )?",
       [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},

      {"<int> q",
       [](const Args& a) -> Result {
         const int n = a.integer(0);
         if (a[0].words || n < 1 || n > 4) return std::nullopt;
         return time_node(date_of(yearly([=](std::int64_t year) -> std::optional<Interval> {
                                    return unit_at(midnight(year, n * 3 - 2, 1), Grain::kQuarter);
                                  }),
                                  Grain::kQuarter, kQuarterField),
                          true);
       }},
      {"<int> h <yyyy>",
       [](const Args& a) -> Result {
         if (a[0].words || a.number(0) < 1 || a.number(0) > 2) return std::nullopt;
         return time_node(date_of(only(unit_at(midnight(a.integer(1), a.integer(0) * 6 - 5, 1), Grain::kHalf)),
                                  Grain::kHalf, kYearField | kQuarterField));
       }},
      {"<quarter> ' <yy>", [](const Args& a) { return if_time(combine(a.when(0), year_when(2000 + a.integer(1)))); }},
      {"<quarter> /|-|' <yyyy>", [](const Args& a) { return if_time(combine(a.when(0), year_when(a.integer(1)))); }},
      {"<quarter> <yy>",
       [](const Args& a) -> Result {
         if (!a[0].latent) return std::nullopt;  // "1Q24"
         return if_time(combine(a.when(0), year_when(2000 + a.integer(1))));
       }},
      // Quarters, halves, decades, centuries.
      {"q <int>",
       [](const Args& a) -> Result {
         const int n = a.integer(0);
         if (n < 1 || n > 4) return std::nullopt;
         return time_node(date_of(yearly([=](std::int64_t year) -> std::optional<Interval> {
                                    return unit_at(midnight(year, n * 3 - 2, 1), Grain::kQuarter);
                                  }),
                                  Grain::kQuarter, kQuarterField));
       }},
      {"h <int>",
       [](const Args& a) -> Result {
         const int n = a.integer(0);
         if (n < 1 || n > 2) return std::nullopt;
         return time_node(date_of(yearly([=](std::int64_t year) -> std::optional<Interval> {
                                    return unit_at(midnight(year, n * 6 - 5, 1), Grain::kHalf);
                                  }),
                                  Grain::kHalf, kQuarterField),
                          true);
       }},
      {"the? <ordinal> quarter|qtr",
       [](const Args& a) -> Result {
         const int n = a.integer(0);
         if (n > 4) return std::nullopt;
         return time_node(date_of(yearly([=](std::int64_t year) -> std::optional<Interval> {
                                    return unit_at(midnight(year, n * 3 - 2, 1), Grain::kQuarter);
                                  }),
                                  Grain::kQuarter, kQuarterField));
       }},
      {"the? <ordinal> century",
       [](const Args& a) -> Result {
         When when = date_of(only(unit_at(midnight((a.integer(0) - 1) * 100 + 1, 1, 1), Grain::kCentury)),
                             Grain::kCentury, kYearField);
         when.dated = true;
         return time_node(std::move(when));
       }},
      {"the? <int> s",
       [](const Args& a) -> Result {
         const int year = a.integer(0);
         if (a[0].words || year % 10 != 0) return std::nullopt;
         if (!(a[0].digits == 4 && year >= 1000 && year < 2100) && !(a[0].digits == 2 && year >= 20))
           return std::nullopt;
         const int full = a[0].digits == 4 ? year : 1900 + year;
         // "The 1800s" are the century, "the 2000s" as often the decade.
         const bool century = full % 100 == 0 && full < 2000;
         const Interval years{midnight(full, 1, 1), midnight(full + (century ? 100 : 10), 1, 1), Grain::kDecade};
         When when = date_of(only(years), century ? Grain::kCentury : Grain::kDecade, kYearField);
         when.dated = true;
         return time_node(std::move(when));
       }},
      {"the? <int> ' s",
       [](const Args& a) -> Result {
         if (a[0].digits != 2 || a.integer(0) % 10 != 0 || a.integer(0) < 20) return std::nullopt;
         When when =
             date_of(only(unit_at(midnight(1900 + a.integer(0), 1, 1), Grain::kDecade)), Grain::kDecade, kYearField);
         when.dated = true;
         return time_node(std::move(when));
       }},
  };
}

}  // namespace weft::timex::english
