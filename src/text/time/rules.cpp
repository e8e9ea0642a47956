#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "text/time/rules.h"
#include "text/time/rules_parts.h"

namespace weft::timex {
namespace {

/// What a count is exact to: half a month is some weeks, a year and a half some months.
Counting counting_of(double count, Grain grain, bool rolls) {
  Counting counting;
  counting.count = count;
  counting.unit = grain;
  counting.rolls = rolls;
  const bool whole = count == std::floor(count);
  if (grain == Grain::kHalf || grain == Grain::kQuarter) counting.unit = Grain::kMonth;
  if (grain >= Grain::kYear) counting.unit = whole ? Grain::kYear : Grain::kMonth;
  if (grain == Grain::kMonth && !whole && std::abs(count) < 1) counting.unit = Grain::kWeek;
  if (grain == Grain::kCentury) counting.unit = Grain::kDecade;
  return counting;
}

unsigned fields_of(Grain grain) {
  switch (grain) {
    case Grain::kYear:
    case Grain::kDecade:
    case Grain::kCentury: return kYearField;
    case Grain::kHalf:
    case Grain::kQuarter: return kYearField | kQuarterField | kMonthField;
    case Grain::kMonth: return kYearField | kMonthField;
    case Grain::kWeek: return kYearField | kMonthField | kDayField | kWeekField;
    default: return kAllFields & ~static_cast<unsigned>(kHolidayField);
  }
}

/// "5 to 7pm": the end says which half of the day is meant, unless that turns the ends round.
When borrow_half(const When& from, const When& to) {
  When early = from;
  if (!early.clock || !to.clock || !early.clock->ambiguous || to.clock->ambiguous) return early;
  Clock& clock = *early.clock;
  clock.ambiguous = false;
  if (to.clock->hour < 12) return early;
  const int as_late = clock.hour % 12 + 12;
  const bool fits = as_late < to.clock->hour || (as_late == to.clock->hour && clock.minute < to.clock->minute);
  if (fits) clock.hour = as_late;
  return early;
}

/// "1pm to 4": the end comes after the beginning.
When lend_half(const When& from, const When& to) {
  When late = to;
  if (!late.clock || !from.clock || !late.clock->ambiguous || from.clock->ambiguous) return late;
  Clock& clock = *late.clock;
  clock.ambiguous = false;
  const int begin = from.clock->hour * 60 + from.clock->minute;
  if (clock.hour * 60 + clock.minute <= begin && clock.hour < 12 && (clock.hour + 12) * 60 + clock.minute > begin) {
    clock.hour += 12;
  }
  return late;
}

void settle(When& from, When& to) {
  if (!from.clock || !to.clock || !from.clock->ambiguous || !to.clock->ambiguous) return;
  if (!from.date) {
    // Who works from nine to five does so by day.
    const int begin = from.clock->hour * 60 + from.clock->minute, stop = to.clock->hour * 60 + to.clock->minute;
    if (from.clock->hour < 6 || from.clock->hour >= 12 || stop > begin) return;
    from.clock->ambiguous = to.clock->ambiguous = false;
    to.clock->hour += 12;
    return;
  }
  // On a day that is said, both are taken as they stand, the end in the afternoon where it must.
  from.clock->ambiguous = false;
  to.clock->ambiguous = false;
  if (to.clock->hour * 60 + to.clock->minute <= from.clock->hour * 60 + from.clock->minute && to.clock->hour < 12) {
    to.clock->hour += 12;
  }
}

/// What one end lacks and the other says.
std::optional<When> with_date_of(const When& bare, const When& dated) {
  if (!dated.date || bare.is_now) return bare;
  if (!bare.date) {
    if (dated.grain != Grain::kDay) return bare;
    When both = bare;
    both.date = dated.date;
    both.grain = dated.grain;
    both.fields = dated.fields;
    both.deictic = dated.deictic;
    both.dated = dated.dated;
    return both;
  }
  return bare;
}

using Result = std::optional<Node>;

Result date_if_real(std::int64_t year, int month, int day, bool latent = false) {
  if (!is_day(year, month, day)) return std::nullopt;
  return time_node(full_date(year, month, day), latent);
}

/// Two digits of a year: up to 2029 of this century, the rest of the last.
std::int64_t long_year(int year) { return year < 30 ? 2000 + year : 1900 + year; }

/// month/day/year where that is a date, else day/month/year.
Result either_order(int a, int b, std::int64_t year) {
  if (auto found = date_if_real(year, a, b)) return found;
  return date_if_real(year, b, a);
}

Result month_of_year(std::int64_t year, int month) {
  When when = date_of(only(unit_at(midnight(year, month, 1), Grain::kMonth)), Grain::kMonth, kYearField | kMonthField);
  when.dated = true;
  return time_node(std::move(when));
}

/// A day of a month in digits alone may as well be a fraction, a score or a version.
Result short_date(int month, int day, bool latent) {
  if (!is_day(2000, month, day)) return std::nullopt;
  return time_node(month_day(month, day), latent);
}

/// "09:30" is written by those who count to 24, "9:30" may be either.
Result clock(const Args& a, int second, Grain grain) {
  const int hour = a.integer(0), minute = a.integer(1);
  if (hour == 24 && minute + second > 0) return std::nullopt;
  return time_node(clock_when(hour, minute, second, grain, a[0].digits == 1 || hour > 9));
}

/// "20/12/2024 - 03/01/2025": the day stands first in both, where one of them says so.
Result days_first(const Args& a) {
  const bool first = a.number(0) > 12 || a.number(3) > 12;
  if (!first || !is_day(a.integer(2), a.integer(1), a.integer(0)) || !is_day(a.integer(5), a.integer(4), a.integer(3)))
    return std::nullopt;
  const auto days =
      stretch(full_date(a.integer(2), a.integer(1), a.integer(0)), full_date(a.integer(5), a.integer(4), a.integer(3)));
  return days ? Result(time_node(*days)) : Result();
}

}  // namespace

void append(Rules& rules, Rules more) {
  rules.insert(rules.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::optional<Node> joined(const Node& a, const Node& b) {
  if (a.amount->items.back().grain <= b.amount->items.front().grain) return std::nullopt;
  Amount both = *a.amount;
  both.items.insert(both.items.end(), b.amount->items.begin(), b.amount->items.end());
  Node node = a;
  node.amount = std::make_shared<const Amount>(std::move(both));
  return node;
}

std::optional<Node> plus_half(const Node& a) {
  Amount amount = *a.amount;
  amount.items.back().count += 0.5;
  Node node = a;
  node.amount = std::make_shared<const Amount>(std::move(amount));
  return node;
}

std::optional<Node> limit(const Node& a) {
  Amount amount = *a.amount;
  amount.bound = true;
  Node node = a;
  node.amount = std::make_shared<const Amount>(std::move(amount));
  return node;
}

Node time_node(When when, bool latent) {
  Node node;
  node.kind = NodeKind::kTime;
  node.latent = latent;
  node.when = std::make_shared<const When>(std::move(when));
  return node;
}

std::optional<Node> if_time(std::optional<When> when, bool latent) {
  if (!when) return std::nullopt;
  return time_node(std::move(*when), latent);
}

Node unit_node(Grain grain) {
  Node node;
  node.kind = NodeKind::kUnit;
  node.latent = true;
  node.grain = grain;
  return node;
}

Node idiom_node() {
  Node node;
  node.kind = NodeKind::kIdiom;
  return node;
}

Node amount_node(double count, Grain grain) {
  Node node;
  node.kind = NodeKind::kAmount;
  Amount amount;
  amount.items.push_back({count, grain});
  node.amount = std::make_shared<const Amount>(std::move(amount));
  return node;
}

Node set_node(std::string repetition) {
  Node node;
  node.kind = NodeKind::kSet;
  node.set = std::make_shared<const std::string>(std::move(repetition));
  return node;
}

Rule constant(std::string_view pattern, Node node) {
  return {std::string(pattern), [node = std::move(node)](const Args&) { return std::optional(node); }};
}

When date_of(SeriesPtr series, Grain grain, unsigned fields) {
  When when;
  when.date = std::move(series);
  when.grain = grain;
  when.fields = fields;
  return when;
}

When month_when(int month) { return date_of(month_series(month), Grain::kMonth, kMonthField); }
When weekday_when(int weekday) { return date_of(weekday_series(weekday), Grain::kDay, kWeekdayField); }
When month_day(int month, int day) { return date_of(date_series(month, day), Grain::kDay, kMonthField | kDayField); }
When day_of_month(int day) { return date_of(day_of_month_series(day), Grain::kDay, kDayField); }

When year_when(std::int64_t year) {
  When when = date_of(only(unit_at(midnight(year, 1, 1), Grain::kYear)), Grain::kYear, kYearField);
  when.dated = true;
  return when;
}

When full_date(std::int64_t year, int month, int day) {
  When when = date_of(only(unit_at(midnight(year, month, day), Grain::kDay)), Grain::kDay,
                      kYearField | kMonthField | kDayField);
  when.dated = true;
  return when;
}

When clock_when(int hour, int minute, int second, Grain grain, bool ambiguous) {
  When when;
  when.clock = Clock{hour, minute, second, grain, ambiguous && hour >= 1 && hour <= 12};
  return when;
}

When part_when(PartName name, int from_hour, int to_hour) {
  When when;
  when.part = PartOfDay{name, from_hour * 60, to_hour * 60, name == PartName::kNight && to_hour >= 24};
  return when;
}

When now_when() {
  When when;
  when.is_now = true;
  when.deictic = true;
  when.fields = kAllFields;
  return when;
}

When unit_when(const Setting& setting, Grain grain, std::int64_t count) {
  When when = date_of(only(unit_at(setting.now, grain, count)), grain, fields_of(grain));
  when.deictic = true;
  return when;
}

std::optional<When> small_hours_tonight(const When& clock, const Setting& setting) {
  constexpr int kMorning = 5;  // o'clock
  if (!clock.clock || clock.clock->hour >= kMorning) return std::nullopt;
  const bool by_part = clock.part && clock.part->to <= kMorning * 60 + 60;  // 凌晨
  if (clock.clock->ambiguous && !by_part) return std::nullopt;
  const Moment since_midnight = setting.now - floor_to(setting.now, Grain::kDay);
  return combine(clock, unit_when(setting, Grain::kDay, since_midnight < kMorning * kHourSeconds ? 0 : 1));
}

When units_when(const Setting& setting, Grain grain, std::int64_t count) {
  // Units of the calendar and the clock, the running one apart; at the full minute none is running.
  const Moment here = floor_to(setting.now, grain);
  const Moment next = add(here, grain, 1);
  Interval interval;
  interval.from = count < 0 ? add(here, grain, count) : next;
  interval.to = count < 0 ? here : add(next, grain, count);
  interval.grain = grain;
  When when;
  when.from = std::make_shared<const When>(date_of(only({interval.from, interval.to, grain}), grain, kAllFields));
  When end = date_of(only({interval.to, interval.to + 1, grain}), grain, kAllFields);
  end.deictic = true;
  when.to = std::make_shared<const When>(std::move(end));
  when.deictic = true;
  when.grain = grain;
  when.counting = counting_of(static_cast<double>(count), grain, true);
  return when;
}

When shifted(Moment from, const Amount& amount, int sign) {
  const bool hours = std::any_of(amount.items.begin(), amount.items.end(), [](const auto& item) {
    return item.grain < Grain::kDay || (item.grain == Grain::kDay && item.count != std::floor(item.count));
  });
  const Moment at = shift(from, amount, sign);
  When when = hours ? date_of(only({at, at + 1, Grain::kSecond}), Grain::kSecond, kAllFields)
                    : date_of(only(unit_at(at, Grain::kDay)), Grain::kDay, kAllFields);
  when.deictic = true;
  when.counting = counting_of(sign * amount.items.back().count, amount.items.back().grain, false);
  when.counting->bound = amount.bound;
  return when;
}

std::optional<Moment> begin_of(const When& when, const Setting& setting) {
  const auto meaning = resolve(when, setting);
  return meaning ? meaning->from : std::nullopt;
}

When weekday_of_week(const Setting& setting, int weekday, int weeks) {
  const Moment day = unit_at(setting.now, Grain::kWeek, weeks).from + (weekday - 1) * kDaySeconds;
  When when = date_of(only(unit_at(day, Grain::kDay)), Grain::kDay, kAllFields);
  when.deictic = true;
  return when;
}

std::optional<When> nth_unit(const When& whole, Grain grain, int n) {
  if (!whole.date || whole.has_time() || grain >= whole.grain || n == 0) return std::nullopt;
  When when = whole;
  when.grain = grain;
  when.fields = whole.fields | fields_of(grain);
  when.date = mapped(whole.date, [=](const Interval& interval) -> std::optional<Interval> {
    // A week belongs to the month or year that has its Thursday.
    const Moment edge = grain == Grain::kWeek ? 3 * kDaySeconds : 0;
    Interval first = unit_at(interval.from, grain);
    if (first.from + edge < interval.from) first = unit_at(interval.from, grain, 1);
    Interval last = unit_at(interval.to - 1, grain);
    if (last.from + edge >= interval.to) last = unit_at(interval.to - 1, grain, -1);
    const Interval found = unit_at(n > 0 ? first.from : last.from, grain, n > 0 ? n - 1 : n + 1);
    if (found.from < first.from || found.from > last.from) return std::nullopt;
    return found;
  });
  return when;
}

std::optional<When> nth_weekday(const When& whole, int weekday, int n) {
  if (!whole.date || whole.has_time() || whole.grain <= Grain::kDay || n == 0) return std::nullopt;
  When when = whole;
  when.grain = Grain::kDay;
  when.fields = whole.fields | kDayField | kWeekdayField;
  when.date = mapped(whole.date, [=](const Interval& interval) -> std::optional<Interval> {
    const int ahead = (weekday - timex::weekday(interval.from) + 7) % 7;
    const int behind = (timex::weekday(interval.to - 1) - weekday + 7) % 7;
    const Moment first = interval.from + ahead * kDaySeconds;
    const Moment last = floor_to(interval.to - 1, Grain::kDay) - behind * kDaySeconds;
    const Moment at = n > 0 ? first + (n - 1) * 7 * kDaySeconds : last + (n + 1) * 7 * kDaySeconds;
    if (at < first || at > last) return std::nullopt;
    return unit_at(at, Grain::kDay);
  });
  return when;
}

std::optional<When> third_of(const When& whole, int third) {
  if (!whole.date || whole.has_time()) return std::nullopt;
  const Grain grain = whole.grain;
  if (grain != Grain::kWeek && grain != Grain::kMonth && grain != Grain::kYear && grain != Grain::kDecade &&
      grain != Grain::kCentury) {
    return std::nullopt;
  }
  When when = whole;
  when.fields = whole.fields | kDayField | kWeekField | kWeekdayField;
  when.date = mapped(whole.date, [=](const Interval& interval) -> std::optional<Interval> {
    Moment a = interval.from + 10 * kDaySeconds, b = interval.from + 20 * kDaySeconds;
    if (grain == Grain::kWeek) a = interval.from + 3 * kDaySeconds, b = interval.from + 4 * kDaySeconds;
    if (grain == Grain::kYear) a = add(interval.from, Grain::kMonth, 3), b = add(interval.from, Grain::kMonth, 8);
    if (grain == Grain::kCentury) a = add(interval.from, Grain::kYear, 33), b = add(interval.from, Grain::kYear, 67);
    if (grain == Grain::kDecade) a = add(interval.from, Grain::kYear, 3), b = add(interval.from, Grain::kYear, 7);
    Interval part = interval;
    if (third != 0) part.from = third == 1 ? a : b;
    if (third != 2) part.to = third == 0 ? a : b;
    part.grain = grain == Grain::kYear ? Grain::kMonth : Grain::kDay;
    return part;
  });
  return when;
}

std::optional<When> half_of(const When& whole, bool second) {
  if (!whole.date || whole.has_time()) return std::nullopt;
  const Grain grain = whole.grain;
  if (grain == Grain::kWeek || grain == Grain::kDecade || grain == Grain::kCentury)
    return third_of(whole, second ? 2 : 0);
  if (grain != Grain::kMonth && grain != Grain::kYear) return std::nullopt;
  When when = whole;
  when.fields = whole.fields | kDayField | kWeekField | kWeekdayField;
  when.date = mapped(whole.date, [=](const Interval& interval) -> std::optional<Interval> {
    const Moment middle =
        grain == Grain::kMonth ? interval.from + 15 * kDaySeconds : add(interval.from, Grain::kMonth, 6);
    Interval half = interval;
    (second ? half.from : half.to) = middle;
    half.grain = grain == Grain::kYear ? Grain::kMonth : Grain::kDay;
    return half;
  });
  return when;
}

std::optional<When> edge_units(const When& whole, Grain grain, int count, bool last) {
  if (!whole.date || whole.has_time() || grain < Grain::kDay || grain >= whole.grain || count < 1) return std::nullopt;
  When when = whole;
  when.fields = kAllFields;
  when.date = mapped(whole.date, [=](const Interval& unit) -> std::optional<Interval> {
    Interval edge{unit.from, add(unit.from, grain, count), Grain::kDay};
    if (last) edge = {add(unit.to, grain, -count), unit.to, Grain::kDay};
    return edge.from < unit.from || edge.to > unit.to ? std::optional<Interval>() : edge;
  });
  return when;
}

std::optional<When> weekend_within(const When& whole, int n) {
  auto saturday = nth_weekday(whole, 6, n);
  if (!saturday) return std::nullopt;
  saturday->grain = Grain::kWeek;
  saturday->date = mapped(saturday->date, [](const Interval& day) -> std::optional<Interval> {
    return Interval{day.from, day.from + 2 * kDaySeconds, Grain::kDay};
  });
  return saturday;
}

When rolling_when(const Setting& setting, Grain grain, std::int64_t count) {
  const bool hours = grain < Grain::kDay;
  const Moment end = hours ? setting.now : floor_to(setting.now, Grain::kDay) + (count < 0 ? kDaySeconds : 0);
  const Moment far = add(end, grain, count);
  Interval interval{std::min(end, far), std::max(end, far), hours ? Grain::kSecond : Grain::kDay};
  When when = date_of(only(interval), Grain::kWeek, kAllFields);
  when.deictic = true;
  when.counting = counting_of(static_cast<double>(count), grain, true);
  return when;
}

When limited_to(const Setting& setting, const Amount& amount) {
  const bool hours = amount.items.back().grain < Grain::kDay;
  const Moment from = hours ? setting.now : floor_to(setting.now, Grain::kDay);
  When when =
      date_of(only({from, shift(from, amount, 1), hours ? Grain::kSecond : Grain::kDay}), Grain::kWeek, kAllFields);
  when.deictic = true;
  when.counting = counting_of(amount.items.back().count, amount.items.back().grain, true);
  when.counting->bound = true;
  return when;
}

When near_units(const Setting& setting, Grain grain, std::int64_t count) {
  return grain < Grain::kDay ? rolling_when(setting, grain, count) : units_when(setting, grain, count);
}

When season_when(int season) {
  struct Begin {
    int month, day;
  };
  static constexpr Begin kBegins[] = {{3, 21}, {6, 21}, {9, 24}, {12, 21}, {3, 21}};
  return date_of(yearly([=](std::int64_t year) -> std::optional<Interval> {
                   const Begin& from = kBegins[season];
                   const Begin& to = kBegins[season + 1];
                   Interval interval;
                   interval.from = midnight(year, from.month, from.day);
                   interval.to = midnight(season == 3 ? year + 1 : year, to.month, to.day);
                   interval.grain = Grain::kDay;
                   return interval;
                 }),
                 Grain::kQuarter, kSeasonField);
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

std::string part_code(PartName name) {
  switch (name) {
    case PartName::kMorning: return "TMO";
    case PartName::kAfternoon: return "TAF";
    case PartName::kEvening: return "TEV";
    case PartName::kNight: return "TNI";
    default: return "";
  }
}

namespace {

// One in the night is written as 25 until the day is known.
bool is_next_day(const Clock& clock) { return clock.hour > 24 || (clock.hour == 24 && clock.minute > 0); }

}  // namespace

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

std::string repeated_clock(const Clock& clock) {
  const int hour = is_next_day(clock) ? clock.hour - 24 : clock.hour;
  if (clock.grain == Grain::kHour) return fmt::format("T{:02}", hour);
  return fmt::format("T{:02}:{:02}", hour, clock.minute);
}

std::optional<When> stretch(const When& from, const When& to) {
  if (from.is_stretch() || to.is_stretch()) return std::nullopt;
  // From Friday evening to Sunday: a part of the day may open a stretch of days.
  const bool opens_days = from.part && !from.clock && from.date && to.date && !to.has_time() && !to.is_now;
  if (!opens_days && (from.part && !from.clock) != (to.part && !to.clock)) return std::nullopt;
  auto early = with_date_of(from, to);
  auto late = with_date_of(to, from);
  if (!early || !late) return std::nullopt;
  // No stretch goes from a month to an hour: "Jan-1" is a day.
  const auto hour = [](const When& end) { return end.clock && !end.date; };
  const auto coarse = [](const When& end) { return end.date && end.grain > Grain::kDay; };
  if ((hour(*early) && coarse(*late)) || (coarse(*early) && hour(*late))) return std::nullopt;
  When begin = borrow_half(*early, *late);
  When end = lend_half(begin, *late);
  settle(begin, end);
  if (end.clock && begin.clock) {
    if (!begin.zone_minutes) begin.zone_minutes = end.zone_minutes;
    if (!end.zone_minutes) end.zone_minutes = begin.zone_minutes;
  }
  if (begin.date && end.date && begin.has_time() != end.has_time() && !begin.is_now && !end.is_now && !opens_days)
    return std::nullopt;
  When when;
  when.deictic = begin.deictic || end.deictic;
  when.dated = begin.dated && end.dated;
  // Days, months and years that are named as the last belong to the stretch; clock times and "now" do not.
  when.counts_end = !end.has_time() && !end.is_now;
  when.grain = std::min(begin.grain, end.grain);
  when.from = std::make_shared<const When>(std::move(begin));
  when.to = std::make_shared<const When>(std::move(end));
  return when;
}

When open_from(const When& when, bool after_it) {
  When open;
  open.from = std::make_shared<const When>(when);
  open.counts_end = after_it;
  open.deictic = when.deictic;
  open.dated = when.dated;
  return open;
}

When open_to(const When& when, bool through_it) {
  When open;
  open.to = std::make_shared<const When>(when);
  open.counts_end = through_it;
  open.deictic = when.deictic;
  open.dated = when.dated;
  return open;
}

std::vector<Rule> numeric_rules() {
  return {
      {"<dd> / <dd> / <yyyy> -|to|~|至|到 <dd> / <dd> / <yyyy>", days_first},
      {"<dd> . <dd> . <yyyy> -|to|~|至|到 <dd> . <dd> . <yyyy>", days_first},
      {"<yyyymmdd>",
       [](const Args& a) { return date_if_real(a.integer(0) / 10000, a.integer(0) / 100 % 100, a.integer(0) % 100); }},
      {"<sixty> . <sixty> . <yy>",
       [](const Args& a) { return either_order(a.integer(0), a.integer(1), long_year(a.integer(2))); }},
      {"<yyyy> - <mm> - <dd>", [](const Args& a) { return date_if_real(a.integer(0), a.integer(1), a.integer(2)); }},
      {"<yyyy> / <mm> / <dd>", [](const Args& a) { return date_if_real(a.integer(0), a.integer(1), a.integer(2)); }},
      {"<yyyy> . <mm> . <dd>", [](const Args& a) { return date_if_real(a.integer(0), a.integer(1), a.integer(2)); }},
      {"<yyyy> <mm> <dd>",
       [](const Args& a) -> Result {
         if (a[1].digits != 2 || a[2].digits != 2) return std::nullopt;
         return date_if_real(a.integer(0), a.integer(1), a.integer(2));
       }},
      {"<dd> /|-|. <dd> /|-|.|, <yyyy>",
       [](const Args& a) { return either_order(a.integer(0), a.integer(1), a.integer(2)); }},
      {"<dd> / <dd> /|, <yy>",
       [](const Args& a) { return either_order(a.integer(0), a.integer(1), long_year(a.integer(2))); }},
      {"<dd> - <dd> - <yy>",
       [](const Args& a) { return either_order(a.integer(0), a.integer(1), long_year(a.integer(2))); }},
      {"<yy> / <mm> / <dd>",
       [](const Args& a) { return date_if_real(long_year(a.integer(0)), a.integer(1), a.integer(2)); }},
      {"<yyyy> -|/|. <mm>", [](const Args& a) { return month_of_year(a.integer(0), a.integer(1)); }},
      {"<mm> -|/ <yyyy>", [](const Args& a) { return month_of_year(a.integer(1), a.integer(0)); }},
      {"<mm> / <dd>",
       [](const Args& a) {
         const bool fraction = a.number(0) < a.number(1) && a.number(1) <= 6;
         return short_date(a.integer(0), a.integer(1), fraction || a.number(0) == a.number(1));
       }},
      {"<dd> / <mm>",
       [](const Args& a) -> Result {
         if (a.number(0) <= 12) return std::nullopt;
         return short_date(a.integer(1), a.integer(0), a.number(0) == 24 && a.number(1) == 7);
       }},
      {"<mm> -|. <dd>", [](const Args& a) { return short_date(a.integer(0), a.integer(1), true); }},

      {"<hourdigits> : <sixty>", [](const Args& a) { return clock(a, 0, Grain::kMinute); }},
      {"<hourdigits> : <sixty> : <sixty>", [](const Args& a) { return clock(a, a.integer(2), Grain::kSecond); }},
      {"<hourdigits> : <sixty> : <sixty> . <int>",
       [](const Args& a) { return clock(a, a.integer(2), Grain::kSecond); }},
      {"<date> t <clock>",
       [](const Args& a) {
         When exact = a.when(1);
         if (exact.clock->ambiguous) exact.clock->ambiguous = false;
         return if_time(combine(a.when(0), exact));
       }},
      {"<timed> + <hourdigits> : <sixty>",
       [](const Args& a) -> Result {
         if (!a.when(0).dated) return std::nullopt;
         When zoned = a.when(0);
         zoned.zone_minutes = 60 * a.integer(1) + a.integer(2);
         return time_node(std::move(zoned));
       }},
      {"<timed> z",
       [](const Args& a) -> Result {
         When zoned = a.when(0);
         zoned.zone_minutes = 0;
         return time_node(std::move(zoned));
       }},
  };
}

std::vector<Rule> chinese_rules() {
  using namespace chinese;  // NOLINT: the parts of this very table
  Rules rules;
  for (auto* part : {amounts, pointers, names, eras, clocks, counted, stretches, repetitions, together})
    append(rules, part());
  return rules;
}

std::vector<Rule> english_rules() {
  using namespace english;  // NOLINT: the parts of this very table
  Rules rules;
  for (auto* part : {amounts, names, dates, decades, clocks, parts, from_now, cycles, seasons, counted, stretches,
                     open_ended, repetitions, together}) {
    append(rules, part());
  }
  return rules;
}

}  // namespace weft::timex
