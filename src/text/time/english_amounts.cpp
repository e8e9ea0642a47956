// Units and lengths of time: "three days", "an hour and a half".
#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

using Result = std::optional<Node>;

Result amount_of(double count, const Node& unit) { return amount_node(count, unit.grain); }

}  // namespace

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
      {"<int> h <int> m|min|mins",
       [](const Args& a) {
         return joined(amount_node(a.number(0), Grain::kHour), amount_node(a.number(1), Grain::kMinute));
       }},
      {"<int> m <int> s|sec|secs",
       [](const Args& a) {
         return joined(amount_node(a.number(0), Grain::kMinute), amount_node(a.number(1), Grain::kSecond));
       }},
      {"a|an <unit>", [](const Args& a) { return amount_of(1, a[0]); }},
      {"a|an|one fortnight", [](const Args&) -> Result { return amount_node(14, Grain::kDay); }},
      {"<int> fortnights", [](const Args& a) -> Result { return amount_node(14 * a.number(0), Grain::kDay); }},
      {"a? couple|pair of? <unit>", [](const Args& a) { return amount_of(2, a[0]); }},
      {"a? few <unit>", [](const Args& a) { return amount_of(3, a[0]); }},
      {"several <unit>", [](const Args& a) { return amount_of(3, a[0]); }},
      {"half a|an|of_an|of_a? <unit>", [](const Args& a) { return amount_of(0.5, a[0]); }},
      {"a|one half <unit>", [](const Args& a) { return amount_of(0.5, a[0]); }},
      {"a? dozen <unit>", [](const Args& a) { return amount_of(12, a[0]); }},
      {"half_a_dozen|half_dozen <unit>", [](const Args& a) { return amount_of(6, a[0]); }},
      {"half-day", [](const Args&) -> Result { return amount_node(0.5, Grain::kDay); }},
      {"a|one? quarter of_an|of_a <unit>", [](const Args& a) { return amount_of(0.25, a[0]); }},
      {"a? quarter hour", [](const Args&) -> Result { return amount_node(0.25, Grain::kHour); }},
      {"<int> / <int> of_an|of_a <unit>",
       [](const Args& a) -> Result {
         if (a.number(0) >= a.number(1) || a.number(1) > 8) return std::nullopt;
         return amount_of(a.number(0) / a.number(1), a[2]);
       }},
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
      {"<number> and_a_half|and_an_half|and_half|1/2 <unit>",
       [](const Args& a) { return amount_of(a.number(0) + 0.5, a[1]); }},
      {"an? <unit> and_a_half|and_an_half|and_half", [](const Args& a) { return amount_of(1.5, a[0]); }},
      {"<amount> and_a_half|and_an_half|and_half", [](const Args& a) { return plus_half(a[0]); }},
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
      {"<int> more|further|additional|extra <unit>", [](const Args& a) { return amount_of(a.number(0), a[1]); }},
      {"another <int> <unit>", [](const Args& a) { return amount_of(a.number(0), a[1]); }},
      {"about|around|exactly|approximately|nearly|almost <amount>", [](const Args& a) -> Result { return a[0]; }},
      {"more_than|less_than|fewer_than|no_more_than|no_less_than|at_least|at_most|up_to|over|under <amount>",
       [](const Args& a) { return limit(a[0]); }},
  };
  const auto business = [](double count) {
    Node node = amount_node(count, Grain::kDay);
    Amount amount = *node.amount;
    amount.business = true;
    node.amount = std::make_shared<const Amount>(std::move(amount));
    return Result(node);
  };
  rules.push_back({"<number> business|working|work days|day", [=](const Args& a) { return business(a.number(0)); }});
  rules.push_back({"<number> workdays|workday|weekdays", [=](const Args& a) { return business(a.number(0)); }});
  rules.push_back({"a|another business|working day", [=](const Args&) { return business(1); }});
  return rules;
}

}  // namespace weft::timex::english
