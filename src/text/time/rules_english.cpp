// English, in the order of the grammar: units and amounts, names, dates, clock times, what counts from now, stretches,
// repetitions.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "text/time/rules.h"

namespace weft::timex {
namespace {

using Result = std::optional<Node>;
using Rules = std::vector<Rule>;

void append(Rules& rules, Rules more) {
  rules.insert(rules.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Result amount_of(double count, const Node& unit) { return amount_node(count, unit.grain); }

/// "1 year" and "2 months": the second is finer.
Result joined(const Node& a, const Node& b) {
  if (a.amount->items.back().grain <= b.amount->items.front().grain) return std::nullopt;
  Amount both = *a.amount;
  both.items.insert(both.items.end(), b.amount->items.begin(), b.amount->items.end());
  Node node = a;
  node.amount = std::make_shared<const Amount>(std::move(both));
  return node;
}

Result plus_half(const Node& a) {
  Amount amount = *a.amount;
  amount.items.back().count += 0.5;
  Node node = a;
  node.amount = std::make_shared<const Amount>(std::move(amount));
  return node;
}

Rules amounts() {
  Rules rules = {
      constant("second|seconds|sec|secs", unit_node(Grain::kSecond)),
      constant("minute|minutes|min|mins", unit_node(Grain::kMinute)),
      constant("hour|hours|hr|hrs", unit_node(Grain::kHour)),
      constant("day|days", unit_node(Grain::kDay)),
      constant("week|weeks|wk|wks", unit_node(Grain::kWeek)),
      constant("month|months|mo|mos|mth|mths", unit_node(Grain::kMonth)),
      constant("quarter|quarters|qtr|qtrs", unit_node(Grain::kQuarter)),
      constant("year|years|yr|yrs", unit_node(Grain::kYear)),
      constant("decade|decades", unit_node(Grain::kDecade)),
      constant("century|centuries", unit_node(Grain::kCentury)),

      {"<number> <unit>",
       [](const Args& a) -> Result {
         if (a[0].number > 4e6) return std::nullopt;
         if (a[1].grain == Grain::kQuarter && a[0].number < 1) return std::nullopt;
         return amount_of(a.number(0), a[1]);
       }},
      {"<number> h", [](const Args& a) -> Result { return amount_node(a.number(0), Grain::kHour); }},
      {"a|an <unit>", [](const Args& a) { return amount_of(1, a[0]); }},
      {"a|an|one fortnight", [](const Args&) -> Result { return amount_node(14, Grain::kDay); }},
      {"<int> fortnights", [](const Args& a) -> Result { return amount_node(14 * a.number(0), Grain::kDay); }},
      {"a? couple|pair of? <unit>", [](const Args& a) { return amount_of(2, a[0]); }},
      {"a? few <unit>", [](const Args& a) { return amount_of(3, a[0]); }},
      {"several <unit>", [](const Args& a) { return amount_of(3, a[0]); }},
      {"half a|an|of_an|of_a? <unit>", [](const Args& a) { return amount_of(0.5, a[0]); }},
      {"half-day", [](const Args&) -> Result { return amount_node(0.5, Grain::kDay); }},
      {"a? quarter of_an|of_a <unit>", [](const Args& a) { return amount_of(0.25, a[0]); }},
      {"three quarters of_an|of_a <unit>", [](const Args& a) { return amount_of(0.75, a[0]); }},
      {"<int> / <int> h",
       [](const Args& a) -> Result {
         if (a.number(0) >= a.number(1) || a.number(1) > 8) return std::nullopt;
         return amount_node(a.number(0) / a.number(1), Grain::kHour);
       }},
      {"in|within <int> '",
       [](const Args& a) -> Result {
         return time_node(shifted(a.setting.now, *amount_node(a.number(0), Grain::kMinute).amount, 1), false);
       }},
      {"in|within <int> \"",
       [](const Args& a) -> Result {
         return time_node(shifted(a.setting.now, *amount_node(a.number(0), Grain::kSecond).amount, 1), false);
       }},
      {"<int> / <int> <unit>",
       [](const Args& a) -> Result {
         if (a.number(0) >= a.number(1) || a.number(1) > 8) return std::nullopt;
         return amount_of(a.number(0) / a.number(1), a[2]);
       }},
      {"<number> and_a_half|and_half|1/2 <unit>", [](const Args& a) { return amount_of(a.number(0) + 0.5, a[1]); }},
      {"an? <unit> and_a_half|and_half", [](const Args& a) { return amount_of(1.5, a[0]); }},
      {"<amount> and_a_half|and_half", [](const Args& a) { return plus_half(a[0]); }},
      {"<number> and <int> <unit>",
       [](const Args& a) -> Result {
         if (a.number(0) < 20 || a.number(1) > 9) return std::nullopt;
         return amount_of(a.number(0) + a.number(1), a[2]);
       }},
      {"<amount> and|,? <amount>", [](const Args& a) { return joined(a[0], a[1]); }},
      {"all|full|whole|entire|a_full|a_whole|an_entire|the_whole|the_entire|the_full|another <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain == Grain::kSecond || a[0].grain == Grain::kMinute) return std::nullopt;
         return amount_of(1, a[0]);
       }},
      {"another <int> <unit>", [](const Args& a) { return amount_of(a.number(0), a[1]); }},
      {"more_than|less_than|at_least|at_most|up_to|over|under|about|around|exactly|approximately|nearly|almost "
       "<amount>",
       [](const Args& a) -> Result { return a[0]; }},
  };
  const auto business = [](double count) {
    Node node = amount_node(count, Grain::kDay);
    Amount amount = *node.amount;
    amount.business = true;
    node.amount = std::make_shared<const Amount>(std::move(amount));
    return Result(node);
  };
  rules.push_back({"<number> business|working|work days|day", [=](const Args& a) { return business(a.number(0)); }});
  rules.push_back({"a|another business|working day", [=](const Args&) { return business(1); }});
  return rules;
}

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
constexpr Name kWeekdayPlurals[] = {{"mondays", 1, false},   {"tuesdays", 2, false}, {"wednesdays", 3, false},
                                    {"thursdays", 4, false}, {"fridays", 5, false},  {"saturdays", 6, false},
                                    {"sundays", 7, false}};
constexpr Name kDottedMonths[] = {{"jan.", 1, false},  {"feb.", 2, false},       {"mar.", 3, true},
                                  {"apr.", 4, false},  {"jun.", 6, false},       {"jul.", 7, false},
                                  {"aug.", 8, false},  {"sep.|sept.", 9, false}, {"oct.", 10, false},
                                  {"nov.", 11, false}, {"dec.", 12, false}};
constexpr Name kDottedWeekdays[] = {{"mon.", 1, false},        {"tue.|tues.", 2, false}, {"wed.", 3, false},
                                    {"thu.|thurs.", 4, false}, {"fri.", 5, false},       {"sat.", 6, true},
                                    {"sun.", 7, true}};
constexpr Name kSeasons[] = {
    {"spring", 0, true}, {"summer", 1, true}, {"autumn", 2, true}, {"fall", 2, true}, {"winter", 3, true}};

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
  append(rules,
         {
      // After these words even "may" and "fall" are names.
             {"in|during|throughout the? <month>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
             {"in|during|throughout the? <season>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
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

Result dated(const When& month, int day, const When* year) {
  When date = day_of_month(day);
  auto both = combine(date, month);
  if (both && year != nullptr) both = combine(*both, *year);
  return if_time(both);
}

Rules dates() {
  return {
      {"<month> the? <eday>", [](const Args& a) { return dated(a.when(0), a.integer(1), nullptr); }},
      {"<month> / <dd>", [](const Args& a) { return dated(a.when(0), a.integer(1), nullptr); }},
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
      {"in|during|of <yyyy>", [](const Args& a) -> Result { return time_node(year_when(a.integer(0))); }},
      {"<month> of|,|-|/|in? <yyyy>",
       [](const Args& a) { return if_time(combine(a.when(0), year_when(a.integer(1)))); }},
      {"<yyyy> of|,|-|/? <month>", [](const Args& a) { return if_time(combine(a.when(1), year_when(a.integer(0)))); }},
      {"<monthday> ,|of|-|/|.? <yyyy>",
       [](const Args& a) { return if_time(combine(a.when(0), year_when(a.integer(1)))); }},
      {"<monthday> -|,|/|' <yy>",
       [](const Args& a) {
         const int year = a.integer(1);
         return if_time(combine(a.when(0), year_when(year < 30 ? 2000 + year : 1900 + year)));
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
      {"<dd> - <month>", [](const Args& a) { return dated(a.when(1), a.integer(0), nullptr); }},
      {"the <dayth>",
       [](const Args& a) -> Result {
         return time_node(day_of_month(a.integer(0)), a.number(0) < 4 || (a[0].words && a.number(0) <= 20));
       }},
      {"on the? <dayth>", [](const Args& a) -> Result { return time_node(day_of_month(a.integer(0))); }},
      {"on|for_the the? <dd>",
       [](const Args& a) -> Result { return time_node(day_of_month(a.integer(0)), a[0].number < 13); }},
      {"<weekday> ,? the? <eday>",
       [](const Args& a) { return if_time(combine(a.when(0), day_of_month(a.integer(1)))); }},
      {"the? <eday> of|in <coarse>",
       [](const Args& a) -> Result {
         if ((a.when(1).fields & kMonthField) == 0) return std::nullopt;
         return if_time(combine(day_of_month(a.integer(0)), a.when(1)));
       }},
      {"<weekday> -|,? (|,? <monthday> )?", [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},
      {"this|last|next <weekday> (|,|-? <monthday> )?",
       [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},

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
         When when = date_of(only(unit_at(midnight(full, 1, 1), Grain::kDecade)), Grain::kDecade, kYearField);
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

constexpr Name kDecades[] = {{"twenties", 20, false}, {"thirties", 30, false}, {"forties", 40, false},
                             {"fifties", 50, false},  {"sixties", 60, false},  {"seventies", 70, false},
                             {"eighties", 80, false}, {"nineties", 90, false}};

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
  }
  return rules;
}

Result with_half(const When& clock, bool afternoon) {
  When when = clock;
  Clock& time = *when.clock;
  if (time.hour > 12) return afternoon ? Result(time_node(std::move(when))) : std::nullopt;
  if (time.hour == 0 && afternoon) return std::nullopt;
  time.ambiguous = false;
  if (afternoon && time.hour < 12) time.hour += 12;
  if (!afternoon && time.hour == 12) time.hour = 0;
  return time_node(std::move(when));
}

Result hour_node(int hour, int minute, bool latent) {
  if (hour == 24 && minute != 0) return std::nullopt;
  return time_node(clock_when(hour, minute, 0, minute == 0 ? Grain::kHour : Grain::kMinute, true), latent);
}

/// Minutes past (positive) or before an hour.
Result near_hour(const When& hour, int minutes) {
  When when = hour;
  Clock& clock = *when.clock;
  if (clock.minute != 0 || clock.second != 0) return std::nullopt;
  const int total = clock.hour * 60 + minutes;
  clock.hour = (total + 1440) / 60 % 24;
  clock.minute = (total + 1440) % 60;
  clock.grain = Grain::kMinute;
  if (clock.ambiguous && clock.hour == 0) clock.hour = 12;
  return time_node(std::move(when));
}

Rules clocks() {
  return {
      {"<hour>",
       [](const Args& a) -> Result {
         if (a[0].chinese) return std::nullopt;
         return hour_node(a.integer(0), 0, true);
       }},
      {"<hour> <minute>",
       [](const Args& a) -> Result {
         if (a[0].chinese || !a[0].words || !a[1].words || a.number(1) < 10) return std::nullopt;
         return hour_node(a.integer(0), a.integer(1), true);
       }},
      {"<hour> oh <minute>", [](const Args& a) -> Result { return hour_node(a.integer(0), a.integer(1), true); }},
      {"<hourdigits> <sixty>", [](const Args& a) -> Result { return hour_node(a.integer(0), a.integer(1), true); }},
      {"<hourdigits> . <sixty>", [](const Args& a) -> Result { return hour_node(a.integer(0), a.integer(1), true); }},
      {"<hhmm>", [](const Args& a) -> Result { return hour_node(a.integer(0) / 100, a.integer(0) % 100, true); }},
      {"<hourdigits> h", [](const Args& a) -> Result { return hour_node(a.integer(0), 0, a.number(0) < 13); }},
      {"<hourdigits> h <sixty>",
       [](const Args& a) -> Result {
         return time_node(clock_when(a.integer(0), a.integer(1), 0, Grain::kMinute, false));
       }},
      {"<clock> oclock|o_clock", [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"<clock> am|a.m.|a.m|a_m|a", [](const Args& a) { return with_half(a.when(0), false); }},
      {"<clock> pm|p.m.|p.m|p_m|p", [](const Args& a) { return with_half(a.when(0), true); }},
      {"<clock> ampm", [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"half past|after? <clock>", [](const Args& a) -> Result { return near_hour(a.when(0), 30); }},
      {"a? quarter past|after <clock>", [](const Args& a) { return near_hour(a.when(0), 15); }},
      {"a? quarter to|of|before|til|till <clock>", [](const Args& a) { return near_hour(a.when(0), -15); }},
      {"<minute> past|after <clock>",
       [](const Args& a) -> Result {
         if (a.number(0) < 1) return std::nullopt;
         return near_hour(a.when(1), a.integer(0));
       }},
      {"<minute> minutes|minute|min|mins past|after <clock>",
       [](const Args& a) { return near_hour(a.when(1), a.integer(0)); }},
      {"<minute> to|before <clock>",
       [](const Args& a) -> Result {
         // "five to seven" is a stretch as often: only the numbers that nobody takes for hours.
         if (a.number(0) < 13 && a.number(0) != 5 && a.number(0) != 10) return std::nullopt;
         auto made = near_hour(a.when(1), -a.integer(0));
         if (made && a.number(0) < 13) made->latent = true;
         return made;
       }},
      {"<minute> minutes|minute|min|mins to|before|til|till <clock>",
       [](const Args& a) { return near_hour(a.when(1), -a.integer(0)); }},
      {"at|@ around|about|exactly|approximately? <clock>",
       [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"around|about|approximately|by_about|roughly <clock>",
       [](const Args& a) -> Result { return time_node(a.when(0), a[0].latent); }},
      {"<clock> sharp|exactly|approximately|ish", [](const Args& a) -> Result { return time_node(a.when(0)); }},
      constant("noon|midday|mid_day|12_noon|twelve_noon", time_node(clock_when(12, 0, 0, Grain::kHour, false))),
      constant("midnight|mid_night|12_midnight", time_node(clock_when(24, 0, 0, Grain::kHour, false))),
      constant("utc|gmt",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = 0;
                 return n;
               }()),
      constant("est",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = -300;
                 return n;
               }()),
      constant("edt",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = -240;
                 return n;
               }()),
      constant("cst",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = -360;
                 return n;
               }()),
      constant("cdt",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = -300;
                 return n;
               }()),
      constant("mst",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = -420;
                 return n;
               }()),
      constant("pst",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = -480;
                 return n;
               }()),
      constant("pdt",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = -420;
                 return n;
               }()),
      constant("cet|bst",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = 60;
                 return n;
               }()),
      constant("cest",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = 120;
                 return n;
               }()),
      constant("ist",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = 330;
                 return n;
               }()),
      constant("jst",
               [] {
                 Node n;
                 n.kind = NodeKind::kZone;
                 n.number = 540;
                 return n;
               }()),
      {"<timed> <zone>",
       [](const Args& a) -> Result {
         When when = a.when(0);
         when.zone_minutes = a.integer(1);
         return time_node(std::move(when));
       }},
  };
}

struct PartWords {
  std::string_view words;
  PartName name;
  int from, to;
};

// In hours. These parts cover the day without gaps, so that what was said of the evening is found in it.
constexpr PartWords kParts[] = {
    {"morning|mornings", PartName::kMorning, 0, 12},
    {"early_morning|early_mornings|early_in_the_morning", PartName::kMorning, 0, 9},
    {"late_morning|late_mornings", PartName::kMorning, 10, 12},
    {"afternoon|afternoons|afternoonish", PartName::kAfternoon, 12, 19},
    {"early_afternoon", PartName::kAfternoon, 12, 14},
    {"late_afternoon", PartName::kAfternoon, 14, 19},
    {"evening|evenings", PartName::kEvening, 18, 24},
    {"early_evening", PartName::kEvening, 18, 20},
    {"late_evening", PartName::kEvening, 20, 24},
    {"night|nights", PartName::kNight, 18, 24},
    {"early_night", PartName::kNight, 20, 22},
    {"late_night|late_nite", PartName::kNight, 21, 24},
    {"lunch|lunchtime|lunch_time", PartName::kNoon, 12, 14},
    {"after_lunch", PartName::kAfternoon, 13, 17},
    {"dinner_time|dinnertime", PartName::kEvening, 18, 21},
    {"business_hours|working_hours|work_hours|office_hours", PartName::kOther, 8, 18},
};

Rules parts() {
  Rules rules;
  for (const PartWords& part : kParts) {
    rules.push_back(constant(part.words, time_node(part_when(part.name, part.from, part.to), true)));
  }
  const auto today_part = [](const Args& a, int days) {
    return if_time(combine(unit_when(a.setting, Grain::kDay, days), a.when(0)));
  };
  append(
      rules,
      {
          {"in|during the? <part>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
          {"at <part>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
          {"this <part>", [=](const Args& a) { return today_part(a, 0); }},
          {"last night|evening",
           [](const Args& a) {
             return if_time(combine(unit_when(a.setting, Grain::kDay, -1), part_when(PartName::kNight, 18, 24)));
           }},
          {"late last night",
           [](const Args& a) {
             return if_time(combine(unit_when(a.setting, Grain::kDay, -1), part_when(PartName::kNight, 21, 24)));
           }},
          {"tonight|tonite|this_evening",
           [](const Args& a) {
             return if_time(combine(unit_when(a.setting, Grain::kDay, 0), part_when(PartName::kEvening, 18, 24)));
           }},
          {"late tonight",
           [](const Args& a) {
             return if_time(combine(unit_when(a.setting, Grain::kDay, 0), part_when(PartName::kNight, 21, 24)));
           }},
          {"<clock> in_the|of_the|at|during_the|in|this|-? <part>",
           [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},
          {"<clock> this <part>",
           [](const Args& a) {
             const auto both = combine(a.when(0), a.when(1));
             if (!both) return Result();
             return if_time(combine(*both, unit_when(a.setting, Grain::kDay, 0)));
           }},
          {"<part> at|@|around|,? <clock>", [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},
          {"<date> in_the|at|during_the|in|,|,_in_the|,_at? <part>",
           [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},
          {"in_the? <part> of|on|,|,_on? <date>", [](const Args& a) { return if_time(combine(a.when(1), a.when(0))); }},
          {"the <part> of|on <date>", [](const Args& a) { return if_time(combine(a.when(1), a.when(0))); }},
          {"<date> am",
           [](const Args& a) { return if_time(combine(a.when(0), part_when(PartName::kMorning, 0, 12))); }},
          {"<date> pm",
           [](const Args& a) { return if_time(combine(a.when(0), part_when(PartName::kAfternoon, 12, 24))); }},
      });
  return rules;
}

Result weekday_away(const Args& a, const When& weekday, int sign) {
  // "next Friday" is that of next week; "last Friday" the one just past.
  const auto named = weekday.date->next(floor_to(a.setting.now, Grain::kWeek));
  if (!named) return std::nullopt;
  const int day = timex::weekday(named->from);
  if (sign > 0) return time_node(weekday_of_week(a.setting, day, 1));
  return time_node(weekday_of_week(a.setting, day, day < timex::weekday(a.setting.now) ? 0 : -1));
}

/// "this Friday", "the coming Friday": the next one; in a story the last.
Result this_weekday(const When& weekday) {
  When when = weekday;
  when.deictic = true;
  return time_node(std::move(when));
}

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

/// From now to the end of a unit.
Result until_end(const Args& a, const When& unit) {
  const auto meaning = resolve(unit, a.setting);
  if (!meaning || !meaning->to || *meaning->to <= a.setting.now) return std::nullopt;
  When when = date_of(only({a.setting.now, *meaning->to, Grain::kSecond}), Grain::kWeek, kAllFields);
  when.deictic = true;
  return time_node(std::move(when));
}

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
      {"tomorrow|tomorrows|tmrw|tmr|tomorow|next_day",
       [](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kDay, 1)); }},
      {"yesterday|yesterdays|last_day|the_last_day",
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
      {"the|my <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain <= Grain::kDay || a[0].grain > Grain::kYear) return std::nullopt;
         return time_node(unit_when(a.setting, a[0].grain, 0), true);
       }},
      {"the? next|coming|upcoming|following <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain < Grain::kDay) return time_node(units_when(a.setting, a[0].grain, 1));
         return time_node(unit_when(a.setting, a[0].grain, 1));
       }},
      {"the? last|past|previous|prior <unit>",
       [](const Args& a) -> Result {
         if (a[0].grain < Grain::kDay) return time_node(units_when(a.setting, a[0].grain, -1));
         return time_node(unit_when(a.setting, a[0].grain, -1));
       }},
      {"the? next|coming|upcoming|following <int> <unit>",
       [](const Args& a) -> Result { return time_node(units_when(a.setting, a[1].grain, a.integer(0))); }},
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
      {"the? next|coming|upcoming few|several|couple|couple_of <unit>",
       [](const Args& a) -> Result { return time_node(units_when(a.setting, a[0].grain, 3)); }},
      {"the? last|previous few|several <unit>",
       [](const Args& a) -> Result { return time_node(units_when(a.setting, a[0].grain, -3)); }},
      {"the? last|previous couple|couple_of <unit>",
       [](const Args& a) -> Result { return time_node(units_when(a.setting, a[0].grain, -2)); }},
      {"the? <unit> after_next",
       [](const Args& a) -> Result { return time_node(unit_when(a.setting, a[0].grain, 2)); }},
      {"the? <unit> before_last",
       [](const Args& a) -> Result { return time_node(unit_when(a.setting, a[0].grain, -2)); }},

      {"the? next <weekday>", [](const Args& a) { return weekday_away(a, a.when(0), 1); }},
      {"the? last|past|previous <weekday>", [](const Args& a) { return weekday_away(a, a.when(0), -1); }},
      {"this|the_coming|coming|upcoming|this_coming <weekday>", [](const Args& a) { return this_weekday(a.when(0)); }},
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
      {"in|within less_than|about|around|approximately|exactly|roughly <amount>",
       [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, 1)); }},
      {"<amount> from_now|hence|from_today|from_this_moment|later|after_today|from_right_now",
       [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, 1)); }},
      {"<amount> ago|earlier|before_now|back|before_today|prior",
       [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, -1)); }},
      {"few|several <unit> ago",
       [](const Args& a) -> Result {
         return time_node(shifted(a.setting.now, *amount_node(3, a[0].grain).amount, -1));
       }},
      {"<amount> from|after <time>",
       [](const Args& a) -> Result {
         const auto begin = begin_of(a.when(1), a.setting);
         if (!begin) return std::nullopt;
         When when = shifted(*begin, *a[0].amount, 1);
         when.deictic = !a.when(1).dated;
         return time_node(std::move(when));
       }},
      {"<amount> before <time>",
       [](const Args& a) -> Result {
         const auto begin = begin_of(a.when(1), a.setting);
         if (!begin) return std::nullopt;
         When when = shifted(*begin, *a[0].amount, -1);
         when.deictic = !a.when(1).dated;
         return time_node(std::move(when));
       }},
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
      {"the? this|current? weekend|week_end|weekends",
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

/// "13 to 15 July": two days of one month.
Result days_of(int first, int last, const When& month) {
  const auto from = combine(day_of_month(first), month);
  const auto to = combine(day_of_month(last), month);
  if (!from || !to || first >= last) return std::nullopt;
  return if_time(stretch(*from, *to));
}

Result years(int first, int last) {
  if (first >= last) return std::nullopt;
  return if_time(stretch(year_when(first), year_when(last)));
}

Rules stretches() {
  return {
      {"<month> the? <eday> -|to|until|till|til|thru|through|and the? <eday>",
       [](const Args& a) { return days_of(a.integer(1), a.integer(2), a.when(0)); }},
      {"<month> from|between the? <eday> -|to|until|till|til|thru|through|and the? <eday>",
       [](const Args& a) { return days_of(a.integer(1), a.integer(2), a.when(0)); }},
      {"from|between? the? <eday> -|to|until|till|til|thru|through|and the? <eday> of|,|in? <month>",
       [](const Args& a) { return days_of(a.integer(0), a.integer(1), a.when(2)); }},
      {"from|between? the? <eday> -|to|until|till|til|thru|through|and the? <eday> of|,|in? <coarse>",
       [](const Args& a) -> Result {
         if ((a.when(2).fields & kMonthField) == 0) return std::nullopt;
         return days_of(a.integer(0), a.integer(1), a.when(2));
       }},
      {"<coarse> from|between|,? the? <eday> -|to|until|till|til|thru|through|and the? <eday>",
       [](const Args& a) -> Result {
         if ((a.when(0).fields & kMonthField) == 0 || (a.when(0).fields & kDayField) != 0) return std::nullopt;
         return days_of(a.integer(1), a.integer(2), a.when(0));
       }},
      {"from|between? the? <eday> -|to|until|till|til|thru|through|and <monthday> ,? <yyyy>?",
       [](const Args& a) -> Result {
         When end = a.when(1);
         if (a.nodes.size() > 2) {
           const auto dated = combine(end, year_when(a.integer(2)));
           if (!dated) return std::nullopt;
           end = *dated;
         }
         const int day = a.integer(0);
         When begin = end;
         begin.date = mapped(end.date, [=](const Interval& last) -> std::optional<Interval> {
           const Civil date = civil(last.from);
           if (day >= date.day) return std::nullopt;
           return unit_at(midnight(date.year, date.month, day), Grain::kDay);
         });
         return if_time(stretch(begin, end));
       }},
      {"<stretch> ,|of? <yyyy>",
       [](const Args& a) -> Result {
         const When& old = a.when(0);
         const auto from = combine(*old.from, year_when(a.integer(1)));
         const auto to = combine(*old.to, year_when(a.integer(1)));
         if (!from || !to) return std::nullopt;
         return if_time(stretch(*from, *to));
       }},
      {"<yyyy> -|to <yyyy>", [](const Args& a) { return years(a.integer(0), a.integer(1)); }},
      {"from|between <yyyy> -|to|until|till|and|through <yyyy>",
       [](const Args& a) { return years(a.integer(0), a.integer(1)); }},
      {"from|between? <point> -|to|until|untill|till|til|thru|through <point>",
       [](const Args& a) -> Result {
         if (a[0].latent && a[1].latent) return std::nullopt;
         return if_time(stretch(a.when(0), a.when(1)));
       }},
      {"from|between <point> -|to|until|untill|till|til|thru|through|and <point>",
       [](const Args& a) -> Result { return if_time(stretch(a.when(0), a.when(1))); }},
      {"between <any> and <any>", [](const Args& a) -> Result { return if_time(stretch(a.when(0), a.when(1))); }},
      {"<clock> -|to|until|till|til <clock>",
       [](const Args& a) -> Result { return if_time(stretch(a.when(0), a.when(1)), a[0].latent && a[1].latent); }},
      {"later_than|after <clock> but before <clock>",
       [](const Args& a) -> Result { return if_time(stretch(a.when(0), a.when(1))); }},
      {"<point> for <amount>",
       [](const Args& a) -> Result {
         const When& begin = a.when(0);
         if (a[1].amount->items.size() > 1 && !begin.has_time()) return std::nullopt;
         When when;
         when.from = std::make_shared<const When>(begin);
         const Moment length = shift(0, *a[1].amount, 1);
         const auto& item = a[1].amount->items.front();
         when.length = begin.has_time() ? std::pair(Grain::kSecond, length)
                                        : std::pair(item.grain, static_cast<std::int64_t>(item.count));
         when.deictic = begin.deictic;
         when.dated = begin.dated;
         if (a[0].latent && begin.date) return std::nullopt;
         return time_node(std::move(when));
       }},
      {"for? <amount> ,? from|starting|starting_from|starting_on|beginning <point>",
       [](const Args& a) -> Result {
         const When& begin = a.when(1);
         if (begin.is_now) return std::nullopt;
         When when;
         when.from = std::make_shared<const When>(begin);
         const Moment length = shift(0, *a[0].amount, 1);
         const auto& item = a[0].amount->items.front();
         when.length = begin.has_time() ? std::pair(Grain::kSecond, length)
                                        : std::pair(item.grain, static_cast<std::int64_t>(item.count));
         when.deictic = begin.deictic;
         when.dated = begin.dated;
         return time_node(std::move(when));
       }},
      {"within the? next|coming|upcoming|following? <amount> from_today|from_now|after_today?",
       [](const Args& a) -> Result {
         const bool hours = a[0].amount->items.back().grain < Grain::kDay;
         const Moment from = hours ? a.setting.now : floor_to(a.setting.now, Grain::kDay);
         const Grain grain = hours ? Grain::kSecond : Grain::kDay;
         When when = date_of(only({from, shift(from, *a[0].amount, 1), grain}), Grain::kWeek, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},

      {"before|until|till|til|prior_to|earlier_than|in_advance_of|ahead_of|no_later_than|ending_with|by|< <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch()) return std::nullopt;
         return time_node(open_to(a.when(0), false));
       }},
      {"before|until|till|til|prior_to|by|<|no_later_than|earlier_than <clock>",
       [](const Args& a) -> Result { return time_node(open_to(a.when(0), false), a[0].latent); }},
      {"before|until|till|prior_to|earlier_than|by|through|no_later_than|up_to <yyyy>",
       [](const Args& a) -> Result { return time_node(open_to(year_when(a.integer(0)), false)); }},
      {"before_or_on|on_or_before|on_or_earlier_than|earlier_than_or_on|no_later_than_or_on <time>",
       [](const Args& a) -> Result { return time_node(open_to(a.when(0), false)); }},
      {"after|later_than|> <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch()) return std::nullopt;
         return time_node(open_from(a.when(0), a.when(0).grain > Grain::kDay));
       }},
      {"after|since|>|later_than <clock>",
       [](const Args& a) -> Result { return time_node(open_from(a.when(0), false), a[0].latent); }},
      {"after <yyyy>", [](const Args& a) -> Result { return time_node(open_from(year_when(a.integer(0)), true)); }},
      {"since|starting|starting_from|starting_on|as_of|on_or_after|on_or_later_than|later_than_or_on|later_than_or_in|"
       "no_earlier_than|beginning_from <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch()) return std::nullopt;
         return time_node(open_from(a.when(0), false));
       }},
      {"since|later_than|later_than_or_in <yyyy>",
       [](const Args& a) -> Result { return time_node(open_from(year_when(a.integer(0)), false)); }},
      {"asap|as_soon_as_possible", [](const Args&) -> Result { return time_node(open_from(now_when(), false)); }},
  };
}

Result with_clock(const std::string& repetition, const Clock& clock) {
  return set_node((repetition == "P1D" ? "" : repetition) + repeated_clock(clock));
}

int weekday_number(const Args& a, std::size_t i) { return weekday(a.when(i).date->next(a.setting.now)->from); }

Rules repetitions() {
  Rules rules = {
      constant("daily|everyday|every_day|each_day|per_day|a_day|nightly", set_node("P1D")),
      constant("weekly|every_week|each_week|per_week|once_a_week", set_node("P1W")),
      constant("biweekly|bi-weekly|fortnightly", set_node("P2W")),
      constant("monthly|every_month|each_month|per_month|once_a_month", set_node("P1M")),
      constant("quarterly", set_node("P3M")),
      constant("yearly|annually|annual|every_year|each_year|per_year|once_a_year", set_node("P1Y")),
      constant("hourly", set_node("PT1H")),
      constant("weekdays|every_weekday", set_node("XXXX-WXX-1/5")),
      {"every|each <unit>",
       [](const Args& a) -> Result { return set_node(iso_duration(*amount_node(1, a[0].grain).amount)); }},
      {"once|twice an?|per|every <unit>",
       [](const Args& a) -> Result { return set_node(iso_duration(*amount_node(1, a[0].grain).amount)); }},
      {"every|each <amount>", [](const Args& a) -> Result { return set_node(iso_duration(*a[0].amount)); }},
      {"every|each other <unit>",
       [](const Args& a) -> Result { return set_node(iso_duration(*amount_node(2, a[0].grain).amount)); }},
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
      {"every|each <part>",
       [](const Args& a) -> Result {
         switch (a.when(0).part->name) {
           case PartName::kMorning: return set_node("TMO");
           case PartName::kAfternoon: return set_node("TAF");
           case PartName::kEvening: return set_node("TEV");
           case PartName::kNight: return set_node("TNI");
           default: return std::nullopt;
         }
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

Rules together() {
  return {
      {"<any> ,|on|of|in|the|,_on|starting? <any>",
       [](const Args& a) -> Result {
         // "tomorrow 5 people come" is no time of day, "9 tomorrow evening" is.
         const auto bare = [&](std::size_t i) { return a[i].latent && a.when(i).clock && !a.when(i).date; };
         if (bare(1) || (bare(0) && !a.when(1).part)) return std::nullopt;
         return if_time(combine(a.when(0), a.when(1)), a[0].latent && a[1].latent);
       }},
      {"<any> at|@|around|,_at|for_about|about <any>",
       [](const Args& a) -> Result { return if_time(combine(a.when(0), a.when(1)), a[0].latent && a[1].latent); }},
      {"<any> for <tclock>",
       [](const Args& a) -> Result { return if_time(combine(a.when(0), a.when(1)), a[0].latent); }},
      {"<clock> on|, <daydate>",
       [](const Args& a) -> Result { return if_time(combine(a.when(0), a.when(1)), a[1].latent); }},
      {"on <monthday>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"<weekday> from|of|in <coarse>", [](const Args& a) -> Result { return if_time(combine(a.when(0), a.when(1))); }},
      {"on|at|in|during|around|by_around|sometime|any_time|at_around <time>",
       [](const Args& a) -> Result {
         return a.when(0).is_stretch() || a.when(0).is_now ? Result() : Result(time_node(a.when(0)));
       }},
      {"the <time>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
  };
}

}  // namespace

std::vector<Rule> english_rules() {
  Rules rules;
  for (auto part :
       {amounts, names, dates, decades, clocks, parts, from_now, cycles, stretches, repetitions, together}) {
    append(rules, part());
  }
  // A pattern that only stands for words another rule may not take has no meaning of its own.
  return rules;
}

}  // namespace weft::timex
