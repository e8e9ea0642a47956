// Repetitions: "every Monday", and names in the plural: "the nineties".
#include <fmt/format.h>

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

}  // namespace weft::timex::english
