// The functions that rules in lexicon/time/ call. The comment above each shows the call; a function returns nothing if
// there is no such time. `x` and `y` are times, `n` is a number; counts and signs below zero go into the past.
// Functions that count from other times are in functions_counted.cpp.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "text/time/functions.h"
#include "text/time/lunar.h"

namespace weft::timex {

const When& Call::when(std::size_t i) const {
  static const When none;
  return values[i]->when ? *values[i]->when : none;
}

const Amount& Call::amount(std::size_t i) const {
  static const Amount none{{{0, Grain::kDay}}};
  return values[i]->amount ? *values[i]->amount : none;
}

Node time_node(When when, bool latent) {
  Node node;
  node.kind = NodeKind::kTime;
  node.latent = latent;
  node.when = std::make_shared<const When>(std::move(when));
  return node;
}

Node number_node(double number) {
  Node node;
  node.number = number;
  return node;
}

Node set_node(std::string repetition) {
  Node node;
  node.kind = NodeKind::kSet;
  node.set = std::make_shared<const std::string>(std::move(repetition));
  return node;
}

When date_of(SeriesPtr series, Grain grain, unsigned fields) {
  When when;
  when.date = std::move(series);
  when.grain = grain;
  when.fields = fields;
  return when;
}

std::optional<Node> if_time(std::optional<When> when) {
  if (!when) return std::nullopt;
  return time_node(std::move(*when));
}

std::optional<Moment> begin_of(const Call& c, std::size_t i) {
  const auto meaning = resolve(c.when(i), c.setting);
  return meaning ? meaning->from : std::nullopt;
}

std::optional<int> weekday_number(const Call& c, std::size_t i) {
  const SeriesPtr& date = c.when(i).date;
  const auto found = date ? date->next(floor_to(c.setting.now, Grain::kWeek)) : std::nullopt;
  return found ? std::optional(weekday(found->from)) : std::nullopt;
}

Moment since_midnight(const Setting& setting) { return setting.now - floor_to(setting.now, Grain::kDay); }

When unit_when(Moment at, Grain grain, std::int64_t count) {
  unsigned fields = kAllFields & ~static_cast<unsigned>(kHolidayField);
  if (grain >= Grain::kYear) fields = kYearField;
  if (grain == Grain::kHalf || grain == Grain::kQuarter) fields = kYearField | kQuarterField | kMonthField;
  if (grain == Grain::kMonth) fields = kYearField | kMonthField;
  if (grain == Grain::kWeek) fields = kYearField | kMonthField | kDayField | kWeekField;
  When when = date_of(only(unit_at(at, grain, count)), grain, fields);
  when.deictic = true;
  return when;
}

When dated(Interval interval, Grain grain, unsigned fields) {
  When when = date_of(only(interval), grain, fields);
  when.dated = true;
  return when;
}

std::optional<Node> known(Interval interval, Grain grain, const When& seen_from) {
  When when = date_of(only(interval), grain, kAllFields);
  when.deictic = !seen_from.dated;
  return time_node(std::move(when));
}

When now_when() {
  When when;
  when.is_now = true;
  when.deictic = true;
  when.fields = kAllFields;
  return when;
}

When season_when(int season) {
  struct Begin {
    int month, day;
  };
  static constexpr Begin kBegins[] = {{3, 21}, {6, 21}, {9, 24}, {12, 21}, {3, 21}};
  return date_of(yearly([=](std::int64_t y) -> std::optional<Interval> {
                   const Begin &from = kBegins[season], &to = kBegins[season + 1];
                   return Interval{midnight(y, from.month, from.day),
                                   midnight(season == 3 ? y + 1 : y, to.month, to.day), Grain::kDay};
                 }),
                 Grain::kQuarter, kSeasonField);
}

namespace {

using Result = std::optional<Node>;

Node amount_node(Amount amount) {
  Node node;
  node.kind = NodeKind::kAmount;
  node.amount = std::make_shared<const Amount>(std::move(amount));
  return node;
}

Node truth(bool holds) { return number_node(holds ? 1 : 0); }

// ---- Numbers and questions ----

Result equal(const Call& c) {
  if (c[0].set && c[1].set) return truth(*c[0].set == *c[1].set);
  if (c[0].kind == NodeKind::kUnit && c[1].kind == NodeKind::kUnit) return truth(c.grain(0) == c.grain(1));
  return truth(c.number(0) == c.number(1));
}

/// Units compare by their length.
int compared(const Call& c) {
  if (c[0].kind == NodeKind::kUnit && c[1].kind == NodeKind::kUnit)
    return static_cast<int>(c.grain(0)) - static_cast<int>(c.grain(1));
  return c.number(0) < c.number(1) ? -1 : c.number(0) > c.number(1) ? 1 : 0;
}

/// long_year(n, from): two digits of a year; those from `from` on are of the last century.
Result long_year(const Call& c) { return number_node(c.number(0) + (c.number(0) < c.number(1) ? 2000 : 1900)); }

/// is_short_year(n): 07年 and 98年 are years, 20年 is a length.
Result is_short_year(const Call& c) {
  const Node& n = c[0];
  return truth(!n.words && n.digits == 2 && !n.ordinal && (n.number < 10 || n.number >= 60));
}

/// is_read_year(n): 一八年 is read out, 一两年 and 三五年 are guesses.
Result is_read_year(const Call& c) {
  const Node& n = c[0];
  if (!n.words || n.ordinal || n.end - n.begin != 2) return truth(false);
  if (n.number >= 1 && n.number < 10) return truth(true);  // 零九
  const int tens = static_cast<int>(n.number) / 10, ones = static_cast<int>(n.number) % 10;
  return truth(n.digits == 2 && (tens < 2 || tens > 5) && ones != tens + 1);
}

/// is_counted(n): 三百, not 二零零八.
Result is_counted(const Call& c) { return truth(c[0].words && c[0].digits != 3 && c[0].digits != 4); }

/// is_bare(x): a clock time that is one only among others, "5".
Result is_bare(const Call& c) { return truth(c[0].latent && c.when(0).clock && !c.when(0).date); }

/// is_firm(x): a moment or day of its own: not "18" in "18 or older", which is a time only among others.
Result is_firm(const Call& c) {
  const bool unsure = c[0].latent && (c.when(0).fields & kYearField) == 0;
  return truth(!unsure && !c.when(0).is_stretch() && !c.when(0).is_now);
}

/// is_minutes_to(x, y): "15 to noon" counts minutes.
Result is_minutes_to(const Call& c) {
  const When &from = c.when(0), &to = c.when(1);
  const bool named = to.clock && !to.date && !to.clock->ambiguous && to.clock->hour % 12 == 0;
  if (!named || !c[0].latent || !from.clock || from.clock->minute != 0) return truth(false);
  return truth(from.clock->hour == 5 || from.clock->hour == 15 || from.clock->hour == 20);
}

/// counts_from_end(x, y): "the second to last Friday of May" is one day.
Result counts_from_end(const Call& c) {
  return truth(c[0].latent && c.when(0).fields == kDayField && (c.when(1).fields & (kWeekdayField | kWeekField)) != 0);
}

/// has(x, unit): whether the words say the year, month or day of the month.
Result has(const Call& c) {
  const unsigned field = c.grain(1) == Grain::kYear    ? kYearField
                         : c.grain(1) == Grain::kMonth ? kMonthField
                                                       : kDayField;
  return truth((c.when(0).fields & field) != 0);
}

/// weeks(amount): how many, where it is whole weeks and nothing else.
Result weeks(const Call& c) {
  if (c.amount(0).items.size() != 1) return std::nullopt;
  const auto& [count, grain] = c.amount(0).items.front();
  if (grain == Grain::kWeek && count == std::floor(count)) return number_node(count);
  if (grain == Grain::kDay && count == 14) return number_node(2);  // a fortnight
  return std::nullopt;
}

/// grain(x): the unit of its date; finest(amount): the finest that it counts.
Result grain_of(const Call& c) {
  Node unit;
  unit.kind = NodeKind::kUnit;
  unit.grain = c.when(0).grain;
  return unit;
}
Result finest(const Call& c) {
  Node unit;
  unit.kind = NodeKind::kUnit;
  unit.grain = c.amount(0).items.back().grain;
  return unit;
}

// ---- Lengths of time ----

/// amount(n, unit)
Result amount(const Call& c) { return amount_node({{{c.number(0), c.grain(1)}}}); }

/// business(n): working days.
Result business(const Call& c) {
  Amount amount{{{c.number(0), Grain::kDay}}};
  amount.business = true;
  return amount_node(std::move(amount));
}

/// The first operand with another amount: latent where it is.
Node changed(const Call& c, Amount amount) {
  Node node = c[0];
  node.amount = std::make_shared<const Amount>(std::move(amount));
  return node;
}

/// add(amount, amount): "1 year" and "2 months"; the second must be finer.
Result add_amounts(const Call& c) {
  if (c.amount(0).items.back().grain <= c.amount(1).items.front().grain) return std::nullopt;
  Amount both = c.amount(0);
  both.items.insert(both.items.end(), c.amount(1).items.begin(), c.amount(1).items.end());
  return changed(c, std::move(both));
}

/// plus_half(amount): "and a half" of the last unit.
Result plus_half(const Call& c) {
  Amount amount = c.amount(0);
  amount.items.back().count += 0.5;
  return changed(c, std::move(amount));
}

/// limit(amount): no more or no less than it.
Result limit(const Call& c) {
  Amount amount = c.amount(0);
  amount.bound = true;
  return changed(c, std::move(amount));
}

// ---- Times that are named ----

Result now(const Call&) { return time_node(now_when()); }

/// year(n), decade(n) and hundred(n) from a year on, century(n) by its number
Result year(const Call& c) {
  return time_node(dated(unit_at(midnight(c.integer(0), 1, 1), Grain::kYear), Grain::kYear, kYearField));
}
Result decade(const Call& c) {
  return time_node(dated(unit_at(midnight(c.integer(0), 1, 1), Grain::kDecade), Grain::kDecade, kYearField));
}
Result hundred(const Call& c) {
  return time_node(dated({midnight(c.integer(0), 1, 1), midnight(c.integer(0) + 100, 1, 1), Grain::kDecade},
                         Grain::kCentury, kYearField));
}
Result century(const Call& c) {
  return time_node(
      dated(unit_at(midnight((c.integer(0) - 1) * 100 + 1, 1, 1), Grain::kCentury), Grain::kCentury, kYearField));
}

When year_part(int n, Grain grain, int months) {
  return date_of(yearly([=](std::int64_t y) -> std::optional<Interval> {
                   return unit_at(midnight(y, (n - 1) * months + 1, 1), grain);
                 }),
                 grain, kQuarterField);
}

/// quarter(n): of any year
Result quarter(const Call& c) {
  if (c.number(0) < 1 || c.number(0) > 4) return std::nullopt;
  return time_node(year_part(c.integer(0), Grain::kQuarter, 3));
}

/// half(n), half(n, year)
Result half(const Call& c) {
  const int n = c.integer(0);
  if (n < 1 || n > 2) return std::nullopt;
  if (c.size() == 1) return time_node(year_part(n, Grain::kHalf, 6));
  return time_node(date_of(only(unit_at(midnight(c.integer(1), n * 6 - 5, 1), Grain::kHalf)), Grain::kHalf,
                           kYearField | kQuarterField));
}

/// half_year(n): 上半年, said in its second half, is that of the running year.
Result half_year(const Call& c) {
  const int n = c.integer(0);
  When when = year_part(n, Grain::kHalf, 6);
  if (n * 6 < civil(c.setting.now).month) when.past = true;
  return time_node(std::move(when));
}

/// month(n), weekday(n) with 1 for Monday
Result month(const Call& c) { return time_node(date_of(month_series(c.integer(0)), Grain::kMonth, kMonthField)); }
Result weekday_time(const Call& c) {
  return time_node(date_of(weekday_series(c.integer(0)), Grain::kDay, kWeekdayField));
}

/// season(n)
Result season(const Call& c) { return time_node(season_when(std::clamp(c.integer(0), 0, 3))); }

/// date(day), date(month, day), date(year, month, day), where there is such a day
Result date(const Call& c) {
  if (c.size() == 1) return time_node(date_of(day_of_month_series(c.integer(0)), Grain::kDay, kDayField));
  if (c.size() == 2) {
    if (!is_day(2000, c.integer(0), c.integer(1))) return std::nullopt;
    return time_node(date_of(date_series(c.integer(0), c.integer(1)), Grain::kDay, kMonthField | kDayField));
  }
  if (!is_day(c.integer(0), c.integer(1), c.integer(2))) return std::nullopt;
  return time_node(dated(unit_at(midnight(c.integer(0), c.integer(1), c.integer(2)), Grain::kDay), Grain::kDay,
                         kYearField | kMonthField | kDayField));
}

/// ides(month)
Result ides(const Call& c) {
  return time_node(date_of(mapped(c.when(0).date,
                                  [](const Interval& month) -> std::optional<Interval> {
                                    const int number = civil(month.from).month;
                                    const bool long_one = number == 3 || number == 5 || number == 7 || number == 10;
                                    return unit_at(month.from + (long_one ? 14 : 12) * kDaySeconds, Grain::kDay);
                                  }),
                           Grain::kDay, kMonthField | kDayField));
}

/// Leap months of one number may be decades apart.
int years_between(int month) { return month < 0 ? 40 : 9; }

/// lunar(month, day): of the Chinese calendar; a leap month is negative
Result lunar(const Call& c) {
  const int month = c.integer(0), day = c.integer(1);
  return time_node(date_of(yearly(
                               [=](std::int64_t y) -> std::optional<Interval> {
                                 const auto at = almanac_day(Almanac::kChinese, y, month, day);
                                 if (!at) return std::nullopt;
                                 return unit_at(*at, Grain::kDay);
                               },
                               years_between(month)),
                           Grain::kDay, kMonthField | kDayField));
}

/// lunar_month(month)
Result lunar_month(const Call& c) {
  const int month = c.integer(0);
  return time_node(date_of(yearly(
                               [=](std::int64_t y) -> std::optional<Interval> {
                                 const auto first = almanac_day(Almanac::kChinese, y, month, 1);
                                 if (!first) return std::nullopt;
                                 const Moment thirtieth = *first + 29 * kDaySeconds;
                                 const bool full =
                                     almanac_day(Almanac::kChinese, civil(thirtieth).year, month, 30) == thirtieth;
                                 return Interval{*first, thirtieth + (full ? kDaySeconds : 0), Grain::kDay};
                               },
                               years_between(month)),
                           Grain::kMonth, kMonthField | kWeekField));
}

/// lunar_year(year, month, day): the lunar year goes by the Gregorian one in which it begins; its twelfth month lies in
/// the next mostly.
Result lunar_year(const Call& c) {
  const std::int64_t named = c.integer(0);
  const auto first = almanac_day(Almanac::kChinese, named, 1, 1);
  for (const std::int64_t candidate : {named, named + 1}) {
    const auto at = almanac_day(Almanac::kChinese, candidate, c.integer(1), c.integer(2));
    if (at && first && *at >= *first)
      return time_node(dated(unit_at(*at, Grain::kDay), Grain::kDay, kYearField | kMonthField | kDayField));
  }
  return std::nullopt;
}

/// advent(n): the Sundays before Christmas Day, counted from the fourth before it
Result advent(const Call& c) {
  const int nth = c.integer(0);
  if (nth > 4) return std::nullopt;
  return time_node(date_of(yearly([nth](std::int64_t y) -> std::optional<Interval> {
                             const Moment christmas = midnight(y, 12, 25);
                             const Moment fourth = christmas - weekday(christmas) * kDaySeconds;
                             return unit_at(fourth - (4 - nth) * 7 * kDaySeconds, Grain::kDay);
                           }),
                           Grain::kDay, kHolidayField));
}

// ---- The clock ----

When clock_when(int hour, int minute, int second, Grain grain) {
  When when;
  when.clock = Clock{hour, minute, second, grain, hour >= 1 && hour <= 12};
  return when;
}

/// clock(hour), clock(hour, minute), clock(hour, minute, second): the half of the day is open. clock(hour, minute,
/// minute) is exact to the minute also at the full hour.
Result clock(const Call& c) {
  const int hour = c.integer(0), minute = c.size() > 1 ? c.integer(1) : 0;
  if (hour > 24 || (hour == 24 && minute > 0)) return std::nullopt;
  if (c.size() < 3) return time_node(clock_when(hour, minute, 0, minute == 0 ? Grain::kHour : Grain::kMinute));
  if (c[2].kind == NodeKind::kUnit) return time_node(clock_when(hour, minute, 0, c.grain(2)));
  return time_node(clock_when(hour, minute, c.integer(2), Grain::kSecond));
}

/// clock_digits(hour, minute), with seconds: "09:30" is written by those who count to 24, "9:30" may be either.
Result clock_digits(const Call& c) {
  const int second = c.size() > 2 ? c.integer(2) : 0;
  if (c.integer(0) == 24 && c.integer(1) + second > 0) return std::nullopt;
  When when = clock_when(c.integer(0), c.integer(1), second, c.size() > 2 ? Grain::kSecond : Grain::kMinute);
  if (c[0].digits != 1 && c.integer(0) <= 9) when.clock->ambiguous = false;
  return time_node(std::move(when));
}

/// sharp(x): on a clock of 24 hours.
Result sharp(const Call& c) {
  When when = c.when(0);
  if (when.clock) when.clock->ambiguous = false;
  return time_node(std::move(when));
}

/// am(x), pm(x)
Result with_half(const Call& c, bool afternoon) {
  When when = c.when(0);
  if (!when.clock) return std::nullopt;
  Clock& time = *when.clock;
  if (time.hour > 12) return afternoon ? Result(time_node(std::move(when))) : std::nullopt;
  if (time.hour == 0 && afternoon) return std::nullopt;
  time.ambiguous = false;
  if (afternoon && time.hour < 12) time.hour += 12;
  if (!afternoon && time.hour == 12) time.hour = 0;
  return time_node(std::move(when));
}
Result am(const Call& c) { return with_half(c, false); }
Result pm(const Call& c) { return with_half(c, true); }

/// near_hour(x, n): minutes past a full hour, or before it.
Result near_hour(const Call& c) {
  When when = c.when(0);
  if (!when.clock || when.clock->minute != 0 || when.clock->second != 0) return std::nullopt;
  Clock& clock = *when.clock;
  const int total = (clock.hour * 60 + c.integer(1) + 1440) % 1440;
  clock.hour = total / 60;
  clock.minute = total % 60;
  clock.grain = Grain::kMinute;
  if (clock.ambiguous && clock.hour == 0) clock.hour = 12;
  return time_node(std::move(when));
}

/// zone(minutes), zoned(x, minutes)
Result zone(const Call& c) {
  Node node;
  node.kind = NodeKind::kZone;
  node.number = c.number(0);
  return node;
}
Result zoned(const Call& c) {
  When when = c.when(0);
  when.zone_minutes = c.integer(1);
  return time_node(std::move(when));
}

When part_when(PartName name, int from_hour, int to_hour) {
  When when;
  when.part = PartOfDay{name, from_hour * 60, to_hour * 60, name == PartName::kNight && to_hour >= 24};
  return when;
}

/// part(name, from, to): hours; with 1 behind them its small hours are those of the next day: 晚上两点.
Result part(const Call& c) {
  When when = part_when(static_cast<PartName>(c.integer(0)), c.integer(1), c.integer(2));
  if (c.size() > 3) when.part->into_night = true;
  return time_node(std::move(when));
}

/// half_of_part(x, part, second): "early tomorrow morning", of the morning until nine.
Result half_of_part(const Call& c) {
  if (!c.when(1).part) return std::nullopt;
  const PartOfDay& part = *c.when(1).part;
  const bool second = c.number(2) != 0;
  const int from = part.from / 60, to = part.to / 60;
  const int middle = part.name == PartName::kMorning && !second ? 9 : (from + to) / 2;
  return if_time(combine(c.when(0), part_when(part.name, second ? middle : from, second ? to : middle)));
}

constexpr int kSmallHours = 5;  // o'clock: when they end

/// tonight(x): "2 am tonight", an hour before five of the coming night or of the running one.
Result tonight(const Call& c) {
  const When& clock = c.when(0);
  if (!clock.clock || clock.clock->hour >= kSmallHours) return std::nullopt;
  const bool by_part = clock.part && clock.part->to <= (kSmallHours + 1) * 60;  // 凌晨
  if (clock.clock->ambiguous && !by_part) return std::nullopt;
  const int days = since_midnight(c.setting) < kSmallHours * kHourSeconds ? 0 : 1;
  return if_time(combine(clock, unit_when(c.setting.now, Grain::kDay, days)));
}

/// last_night(x): 昨晚凌晨三点, an hour before five of the night that is over, or of the running one.
Result last_night(const Call& c) {
  When clock = c.when(0);
  if (!clock.clock) return std::nullopt;
  clock.clock->hour %= 24;
  if (clock.clock->ambiguous || clock.clock->hour >= kSmallHours) return std::nullopt;
  const bool over = since_midnight(c.setting) >= clock.clock->hour * kHourSeconds;
  clock.part = part_when(PartName::kMorning, 0, 6).part;
  return if_time(combine(clock, unit_when(c.setting.now, Grain::kDay, over ? 0 : -1)));
}

/// after_midnight(x): a clock time that an evening has carried into the next day.
Result after_midnight(const Call& c) {
  When when = c.when(0);
  if (!when.clock || when.clock->hour <= 24) return std::nullopt;
  when.clock->hour -= 24;
  when.part = part_when(PartName::kMorning, 0, 6).part;
  return time_node(std::move(when));
}

// ---- Repetitions ----

/// A part of the day as a repetition names it; empty where it has no name.
std::string part_code(PartName name) {
  switch (name) {
    case PartName::kMorning: return "TMO";
    case PartName::kAfternoon: return "TAF";
    case PartName::kEvening: return "TEV";
    case PartName::kNight: return "TNI";
    default: return "";
  }
}

// One in the night is written as 25 until the day is known.
bool is_next_day(const Clock& clock) { return clock.hour > 24 || (clock.hour == 24 && clock.minute > 0); }

std::string repeated_clock(const Clock& clock) {
  const int hour = is_next_day(clock) ? clock.hour - 24 : clock.hour;
  if (clock.grain == Grain::kHour) return fmt::format("T{:02}", hour);
  return fmt::format("T{:02}:{:02}", hour, clock.minute);
}

/// 每晚八点: the part of the day ("TEV") says which eight it is; 每周五晚上一点 is on Saturdays.
std::string repeated_clock(const std::string& repetition, Clock clock) {
  constexpr int kSmall = 4;  // o'clock
  const bool part = repetition.starts_with("T"), night = repetition == "TEV" || repetition == "TNI";
  if (part && clock.ambiguous && repetition != "TMO" && clock.hour < 12 && !(night && clock.hour < kSmall))
    clock.hour += 12;
  std::string set = part || repetition == "P1D" ? "" : repetition;
  constexpr std::size_t kWeekday = 10;  // bytes of XXXX-WXX-5
  if (is_next_day(clock) && set.size() == kWeekday && set.starts_with("XXXX-WXX-"))
    set.back() = set.back() == '7' ? '1' : static_cast<char>(set.back() + 1);
  return set + repeated_clock(clock);
}

/// every(amount): "every three days"
Result every(const Call& c) { return set_node(iso_duration(c.amount(0))); }

/// each(x): of a weekday, a month, a day of a month or of a year, a part of the day or a time on the clock; each(x,
/// part): of a weekday with its part of the day
Result each_time(const Call& c) {
  const When& when = c.when(0);
  if (c.size() > 1) {
    const auto day = weekday_number(c, 0);
    const std::string part = c.when(1).part ? part_code(c.when(1).part->name) : "";
    return day && !part.empty() ? Result(set_node(fmt::format("XXXX-WXX-{}{}", *day, part))) : std::nullopt;
  }
  if (when.clock) return set_node(repeated_clock(*when.clock));
  if (when.part) {
    const std::string part = part_code(when.part->name);
    return part.empty() ? Result() : Result(set_node(part));
  }
  const auto found = when.date ? when.date->next(c.setting.now) : std::nullopt;
  if (!found) return std::nullopt;
  const Civil day = civil(found->from);
  if (when.fields == kWeekdayField) return set_node(fmt::format("XXXX-WXX-{}", weekday(found->from)));
  if (when.fields == kDayField) return set_node(fmt::format("XXXX-XX-{:02}", day.day));
  if (when.fields == kMonthField) return set_node(fmt::format("XXXX-{:02}", day.month));
  return set_node(fmt::format("XXXX-{:02}-{:02}", day.month, day.day));
}

/// each_day(weekday, weekday), each_day(weekday, weekday, x): "Mon-Fri 9-5", the days of a week and the hour at which
/// they begin
Result each_day(const Call& c) {
  const auto first = weekday_number(c, 0), last = weekday_number(c, 1);
  if (!first || !last || *first == *last) return std::nullopt;
  const std::string set = fmt::format("XXXX-WXX-{}/{}", *first, *last);
  if (c.size() < 3) return set_node(set);
  return c.when(2).clock ? Result(set_node(set + repeated_clock(*c.when(2).clock))) : std::nullopt;
}

/// at_each(set, x): a repetition at a time on the clock. part_each(set, part): or in a part of the day.
Result at_each(const Call& c) {
  if (!c[0].set || !c.when(1).clock) return std::nullopt;
  return set_node(repeated_clock(*c[0].set, *c.when(1).clock));
}
Result part_each(const Call& c) {
  const std::string part = c.when(1).part ? part_code(c.when(1).part->name) : "";
  if (!c[0].set || part.empty()) return std::nullopt;
  return set_node((*c[0].set == "P1D" ? "" : *c[0].set) + part);
}

// ---- The table ----

constexpr Function kFunctions[] = {
    {"+", 2, 2, [](const Call& c) -> Result { return number_node(c.number(0) + c.number(1)); }},
    {"-", 2, 2, [](const Call& c) -> Result { return number_node(c.number(0) - c.number(1)); }},
    {"*", 2, 2, [](const Call& c) -> Result { return number_node(c.number(0) * c.number(1)); }},
    {"/", 2, 2, [](const Call& c) -> Result { return number_node(c.number(0) / c.number(1)); }},
    {"%", 2, 2, [](const Call& c) -> Result { return number_node(std::fmod(c.number(0), c.number(1))); }},
    {"div", 2, 2, [](const Call& c) -> Result { return number_node(std::floor(c.number(0) / c.number(1))); }},
    {"min", 2, 2, [](const Call& c) -> Result { return number_node(std::min(c.number(0), c.number(1))); }},
    {"negative", 1, 1, [](const Call& c) -> Result { return number_node(-c.number(0)); }},
    {"not", 1, 1, [](const Call& c) -> Result { return truth(c.number(0) == 0); }},
    {"==", 2, 2, equal},
    {"!=", 2, 2, [](const Call& c) -> Result { return truth(equal(c)->number == 0); }},
    {"<", 2, 2, [](const Call& c) -> Result { return truth(compared(c) < 0); }},
    {"<=", 2, 2, [](const Call& c) -> Result { return truth(compared(c) <= 0); }},
    {">", 2, 2, [](const Call& c) -> Result { return truth(compared(c) > 0); }},
    {">=", 2, 2, [](const Call& c) -> Result { return truth(compared(c) >= 0); }},
    {"digits", 1, 1, [](const Call& c) -> Result { return number_node(c[0].digits); }},
    {"length", 1, 1, [](const Call& c) -> Result { return number_node(c[0].end - c[0].begin); }},
    {"is_words", 1, 1, [](const Call& c) -> Result { return truth(c[0].words); }},
    {"is_ordinal", 1, 1, [](const Call& c) -> Result { return truth(c[0].ordinal); }},
    {"is_year", 1, 1, [](const Call& c) -> Result { return truth(c[0].year); }},
    {"is_chinese", 1, 1, [](const Call& c) -> Result { return truth(c[0].chinese); }},
    {"is_latent", 1, 1, [](const Call& c) -> Result { return truth(c[0].latent); }},
    {"is_dated", 1, 1, [](const Call& c) -> Result { return truth(c.when(0).dated); }},
    {"is_deictic", 1, 1, [](const Call& c) -> Result { return truth(c.when(0).deictic); }},
    {"is_now", 1, 1, [](const Call& c) -> Result { return truth(c.when(0).is_now); }},
    {"is_stretch", 1, 1, [](const Call& c) -> Result { return truth(c.when(0).is_stretch()); }},
    {"is_timed", 1, 1, [](const Call& c) -> Result { return truth(c.when(0).has_time()); }},
    {"is_clock", 1, 1, [](const Call& c) -> Result { return truth(c.when(0).clock && !c.when(0).zone_minutes); }},
    {"is_days", 1, 1,
     [](const Call& c) -> Result { return truth(c.when(0).date && !c.when(0).has_time() && !c.when(0).is_now); }},
    {"is_single", 1, 1, [](const Call& c) -> Result { return truth(c.amount(0).items.size() == 1); }},
    {"is_weekly", 1, 1, [](const Call& c) -> Result { return truth(c[0].set && c[0].set->starts_with("XXXX-WXX-")); }},
    {"has_date", 1, 1, [](const Call& c) -> Result { return truth(c.when(0).date != nullptr); }},
    {"has_part", 1, 1, [](const Call& c) -> Result { return truth(c.when(0).part.has_value()); }},
    {"counts_days", 1, 1,
     [](const Call& c) -> Result { return truth(c[0].words && c.when(0).fields == kDayField); }},  // 三日后
    {"has", 2, 2, has},
    {"is_bare", 1, 1, is_bare},
    {"is_firm", 1, 1, is_firm},
    {"is_counted", 1, 1, is_counted},
    {"is_read_year", 1, 1, is_read_year},
    {"is_short_year", 1, 1, is_short_year},
    {"is_minutes_to", 2, 2, is_minutes_to},
    {"counts_from_end", 2, 2, counts_from_end},
    {"long_year", 2, 2, long_year},
    {"weeks", 1, 1, weeks},
    {"grain", 1, 1, grain_of},
    {"finest", 1, 1, finest},
    {"amount", 2, 2, amount},
    {"business", 1, 1, business},
    {"add", 2, 2, add_amounts},
    {"plus_half", 1, 1, plus_half},
    {"limit", 1, 1, limit},
    {"now", 0, 0, now},
    {"year", 1, 1, year},
    {"decade", 1, 1, decade},
    {"hundred", 1, 1, hundred},
    {"century", 1, 1, century},
    {"quarter", 1, 1, quarter},
    {"half", 1, 2, half},
    {"half_year", 1, 1, half_year, true},
    {"month", 1, 1, month},
    {"weekday", 1, 1, weekday_time},
    {"season", 1, 1, season},
    {"date", 1, 3, date},
    {"ides", 1, 1, ides},
    {"lunar", 2, 2, lunar},
    {"lunar_month", 1, 1, lunar_month},
    {"lunar_year", 3, 3, lunar_year},
    {"advent", 1, 1, advent},
    {"clock", 1, 3, clock},
    {"clock_digits", 2, 3, clock_digits},
    {"sharp", 1, 1, sharp},
    {"am", 1, 1, am},
    {"pm", 1, 1, pm},
    {"near_hour", 2, 2, near_hour},
    {"zone", 1, 1, zone},
    {"zoned", 2, 2, zoned},
    {"part", 3, 4, part},
    {"half_of_part", 3, 3, half_of_part},
    {"tonight", 1, 1, tonight, true},
    {"last_night", 1, 1, last_night, true},
    {"after_midnight", 1, 1, after_midnight},
    {"every", 1, 1, every},
    {"each", 1, 2, each_time, true},
    {"each_day", 2, 3, each_day, true},
    {"at_each", 2, 2, at_each},
    {"part_each", 2, 2, part_each},
};

}  // namespace

const Function* function_named(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Function*> map;
    for (const std::span<const Function> all : {std::span<const Function>(kFunctions), counted_functions()})
      for (const Function& function : all) map.emplace(function.name, &function);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

std::optional<Node> constant_named(std::string_view name) {
  static constexpr std::string_view kUnits[] = {"second",  "minute", "hour", "day",    "week",   "month",
                                                "quarter", "half",   "year", "decade", "century"};
  static constexpr std::string_view kParts[] = {"morning", "noon", "afternoon", "evening", "night", "other"};
  if (const auto unit = std::find(std::begin(kUnits), std::end(kUnits), name); unit != std::end(kUnits)) {
    Node node;
    node.kind = NodeKind::kUnit;
    node.latent = true;
    node.grain = static_cast<Grain>(unit - std::begin(kUnits));
    return node;
  }
  const auto part = std::find(std::begin(kParts), std::end(kParts), name);
  if (part == std::end(kParts)) return std::nullopt;
  return number_node(static_cast<double>(part - std::begin(kParts)));
}

std::string iso_duration(const Amount& amount) {
  std::string date, time;
  for (const auto& [count, grain] : amount.items) {
    const double years = grain == Grain::kDecade ? 10 : grain == Grain::kCentury ? 100 : 1;
    const double months = grain == Grain::kQuarter ? 3 : grain == Grain::kHalf ? 6 : 1;
    const std::string number = fmt::format("{:g}", count * years * months);
    switch (grain) {
      case Grain::kSecond: time += number + "S"; break;
      case Grain::kMinute: time += number + "M"; break;
      case Grain::kHour: time += number + "H"; break;
      case Grain::kDay: date += number + (amount.business ? "BD" : "D"); break;
      case Grain::kWeek: date += number + "W"; break;
      case Grain::kMonth:
      case Grain::kQuarter:
      case Grain::kHalf: date += number + "M"; break;
      case Grain::kYear:
      case Grain::kDecade:
      case Grain::kCentury: date += number + "Y"; break;
    }
  }
  return "P" + date + (time.empty() ? "" : "T" + time);
}

}  // namespace weft::timex
