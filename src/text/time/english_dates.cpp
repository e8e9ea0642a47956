// Names of months, weekdays and seasons, and the dates made of them.
#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

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
