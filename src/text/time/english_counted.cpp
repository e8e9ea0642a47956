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

using Result = std::optional<Node>;

Result amount_of(double count, const Node& unit) { return amount_node(count, unit.grain); }

using Result = std::optional<Node>;

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

/// "3:15p" is a time by itself, "4a" only among others.
Result short_half(const Args& a, bool afternoon) {
  auto made = with_half(a.when(0), afternoon);
  if (made) made->latent = a[0].latent;
  return made;
}

/// Noon and midnight by their nearness to now.
Result noon(int hour, bool past) {
  When when = clock_when(hour, 0, 0, Grain::kHour, false);
  when.past = past;
  when.deictic = true;
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

struct ZoneName {
  std::string_view words;
  int minutes;
};

constexpr ZoneName kZones[] = {{"utc|gmt", 0},
                               {"nst", -210},
                               {"ast", -240},
                               {"adt", -180},
                               {"est|et|eastern|eastern_time", -300},
                               {"edt", -240},
                               {"cst|ct|central_time", -360},
                               {"cdt", -300},
                               {"mst|mt|mountain_time", -420},
                               {"mdt", -360},
                               {"pst|pt|pacific|pacific_time", -480},
                               {"pdt", -420},
                               {"akst", -540},
                               {"akdt", -480},
                               {"hst", -600},
                               {"brt", -180},
                               {"cet|bst", 60},
                               {"cest", 120},
                               {"eet", 120},
                               {"eest", 180},
                               {"msk", 180},
                               {"ist", 330},
                               {"hkt|sgt|pht", 480},
                               {"awst", 480},
                               {"jst|kst", 540},
                               {"acst", 570},
                               {"aest", 600},
                               {"aedt", 660},
                               {"nzst", 720},
                               {"nzdt", 780}};

Node zone_node(int minutes) {
  Node zone;
  zone.kind = NodeKind::kZone;
  zone.number = minutes;
  return zone;
}

using Result = std::optional<Node>;

struct PartWords {
  std::string_view words;
  PartName name;
  int from, to;
};

// In hours. These parts cover the day without gaps, so that what was said of the evening is found in it.
constexpr PartWords kParts[] = {
    {"morning|mornings", PartName::kMorning, 0, 12},
    {"early_morning|early_mornings|early_in_the_morning", PartName::kMorning, 0, 9},
    {"mid_morning|mid-morning|midmorning", PartName::kMorning, 9, 11},
    {"late_morning|late_mornings", PartName::kMorning, 10, 12},
    {"afternoon|afternoons|afternoonish", PartName::kAfternoon, 12, 19},
    {"mid_afternoon|mid-afternoon|midafternoon", PartName::kAfternoon, 14, 16},
    {"daytime|day_time|day-time", PartName::kOther, 8, 18},
    {"early_afternoon", PartName::kAfternoon, 12, 14},
    {"late_afternoon", PartName::kAfternoon, 14, 19},
    {"evening|evenings", PartName::kEvening, 18, 24},
    {"early_evening", PartName::kEvening, 18, 20},
    {"late_evening", PartName::kEvening, 20, 24},
    {"night|nights", PartName::kNight, 18, 24},
    {"early_night", PartName::kNight, 20, 22},
    {"late_night|late_nite", PartName::kNight, 21, 24},
    {"breakfast|breakfast_time|breakfasttime", PartName::kMorning, 6, 10},
    {"lunch|lunchtime|lunch_time", PartName::kNoon, 12, 14},
    {"after_lunch", PartName::kAfternoon, 13, 17},
    {"after_school", PartName::kAfternoon, 15, 21},
    {"after_work", PartName::kEvening, 17, 21},
    {"dinner_time|dinnertime", PartName::kEvening, 18, 21},
    {"dawn|daybreak|sunrise|first_light", PartName::kMorning, 4, 8},
    {"dusk|sunset|sundown|twilight|nightfall", PartName::kEvening, 17, 21},
    {"wee_hours|small_hours|early_hours|early_hours_of_the_morning|wee_hours_of_the_morning|small_hours_of_the_morning",
     PartName::kNight, 0, 5},
    {"business_hours|working_hours|work_hours|office_hours", PartName::kOther, 8, 18},
};

/// "early tomorrow morning": the first or second half of a part, of the morning until nine.
Result half_of_part(const When& day, const PartOfDay& part, bool second) {
  const int from = part.from / 60, to = part.to / 60;
  const int middle = part.name == PartName::kMorning && !second ? 9 : (from + to) / 2;
  return if_time(combine(day, part_when(part.name, second ? middle : from, second ? to : middle)));
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

Rules clocks() {
  Rules rules;
  for (const ZoneName& zone : kZones) rules.push_back(constant(zone.words, zone_node(zone.minutes)));
  append(
      rules,
      {
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
          {"<hourdigits> <minute>",
           [](const Args& a) -> Result {
             if (a[1].chinese || !a[1].words || a.number(1) < 10) return std::nullopt;
             return hour_node(a.integer(0), a.integer(1), true);
           }},
          {"the? next|coming|upcoming noon", [](const Args&) { return noon(12, false); }},
          {"the? next|coming|upcoming midnight", [](const Args&) { return noon(24, false); }},
          {"the? last|previous noon", [](const Args&) { return noon(12, true); }},
          {"the? last|previous midnight", [](const Args&) { return noon(24, true); }},
          {"<hour> oh <minute>", [](const Args& a) -> Result { return hour_node(a.integer(0), a.integer(1), true); }},
          {"<hourdigits> <sixty>", [](const Args& a) -> Result { return hour_node(a.integer(0), a.integer(1), true); }},
          {"<hourdigits> . <sixty>",
           [](const Args& a) -> Result { return hour_node(a.integer(0), a.integer(1), true); }},
          {"<hhmm>", [](const Args& a) -> Result { return hour_node(a.integer(0) / 100, a.integer(0) % 100, true); }},
          {"<hhmm> hours|hrs|hour|h",
           [](const Args& a) -> Result {
             if (a.number(0) > 2400 || a.integer(0) % 100 > 59) return std::nullopt;
             return time_node(clock_when(a.integer(0) / 100, a.integer(0) % 100, 0, Grain::kMinute, false));
           }},
          {"<yyyy> hours|hrs|h",
           [](const Args& a) -> Result {
         // "1930 hours" and "nineteen hundred hours" are said by soldiers.
             if (a.number(0) > 2400 || a.integer(0) % 100 > 59) return std::nullopt;
             return time_node(clock_when(a.integer(0) / 100, a.integer(0) % 100, 0, Grain::kMinute, false));
           }},
          {"at <int> hours|hrs|hour|h",
           [](const Args& a) -> Result {
             if (a[0].words || a[0].digits != 4 || a.number(0) > 2400 || a.integer(0) % 100 > 59) return std::nullopt;
             return time_node(clock_when(a.integer(0) / 100, a.integer(0) % 100, 0, Grain::kMinute, false));
           }},
          {"<hourdigits> h", [](const Args& a) -> Result { return hour_node(a.integer(0), 0, a.number(0) < 13); }},
          {"<hourdigits> h <sixty>",
           [](const Args& a) -> Result {
             return time_node(clock_when(a.integer(0), a.integer(1), 0, Grain::kMinute, false));
           }},
          {"<clock> oclock|o_clock|o_'_clock", [](const Args& a) -> Result { return time_node(a.when(0)); }},
          {"<clock> am|a.m.|a.m|a_m", [](const Args& a) { return with_half(a.when(0), false); }},
          {"<clock> a", [](const Args& a) { return short_half(a, false); }},
          {"<clock> p", [](const Args& a) { return short_half(a, true); }},
          {"<clock> pm|p.m.|p.m|p_m", [](const Args& a) { return with_half(a.when(0), true); }},
          {"pm|p.m. <tclock>", [](const Args& a) { return with_half(a.when(0), true); }},
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
          constant("noon|noonish|noontime|noon_time|midday|mid_day|12_noon|twelve_noon",
                   time_node(clock_when(12, 0, 0, Grain::kHour, false))),
          constant("midnight|mid_night|12_midnight", time_node(clock_when(24, 0, 0, Grain::kHour, false))),
          {"utc|gmt + <hour>", [](const Args& a) -> Result { return zone_node(60 * a.integer(0)); }},
          {"utc|gmt - <hour>", [](const Args& a) -> Result { return zone_node(-60 * a.integer(0)); }},
          {"<timed> <zone>",
           [](const Args& a) -> Result {
             When when = a.when(0);
             when.zone_minutes = a.integer(1);
             return time_node(std::move(when));
           }},
      });
  return rules;
}

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
          {"<clock> tonight|tonite", [](const Args& a) { return if_time(small_hours_tonight(a.when(0), a.setting)); }},
          {"tonight|tonite at|@ <clock>",
           [](const Args& a) { return if_time(small_hours_tonight(a.when(0), a.setting)); }},
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
           [](const Args& a) -> Result {
             // "3.18 in the morning" is a time on the clock.
             if (a[0].latent && a.when(0).fields == (kMonthField | kDayField)) return std::nullopt;
             return if_time(combine(a.when(0), a.when(1)));
           }},
          {"in_the? <part> of|on|,|,_on? <date>", [](const Args& a) { return if_time(combine(a.when(1), a.when(0))); }},
          {"the <part> of|on <date>", [](const Args& a) { return if_time(combine(a.when(1), a.when(0))); }},
          // "7.30 pm" is a time on the clock.
          {"<date> am",
           [](const Args& a) {
             if (a[0].latent) return Result();
             return if_time(combine(a.when(0), part_when(PartName::kMorning, 0, 12)));
           }},
          {"<date> pm",
           [](const Args& a) {
             if (a[0].latent) return Result();
             return if_time(combine(a.when(0), part_when(PartName::kAfternoon, 12, 24)));
           }},
          {"early this <part>",
           [](const Args& a) { return half_of_part(unit_when(a.setting, Grain::kDay, 0), *a.when(0).part, false); }},
          {"late this <part>",
           [](const Args& a) { return half_of_part(unit_when(a.setting, Grain::kDay, 0), *a.when(0).part, true); }},
          {"early on <daydate>",
           [](const Args& a) { return if_time(combine(a.when(0), part_when(PartName::kMorning, 0, 9))); }},
          {"early <daydate> <part>", [](const Args& a) { return half_of_part(a.when(0), *a.when(1).part, false); }},
          {"late <daydate> <part>", [](const Args& a) { return half_of_part(a.when(0), *a.when(1).part, true); }},
          {"first_thing <daydate> morning|in_the_morning",
           [](const Args& a) { return if_time(combine(a.when(0), part_when(PartName::kMorning, 0, 9))); }},
          {"<daydate> first_thing|first_thing_in_the_morning",
           [](const Args& a) { return if_time(combine(a.when(0), part_when(PartName::kMorning, 0, 9))); }},
          {"early|first_thing <daydate>",
           [](const Args& a) { return if_time(combine(a.when(0), part_when(PartName::kMorning, 0, 9))); }},
      });
  return rules;
}

}  // namespace weft::timex::english
