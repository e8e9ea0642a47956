// The functions that rules in lexicon/time/ call to count from another time, to take a part of one or to join two. The
// comment above each shows the call, as in functions.cpp.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include "text/time/functions.h"

namespace weft::timex {
namespace {

using Result = std::optional<Node>;

// ---- Times that are counted from now ----

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

/// The moment an amount later or earlier; a day where the amount has no hours.
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

/// ahead(amount), ago(amount), shift(x, amount, sign)
Result ahead(const Call& c) { return time_node(shifted(c.setting.now, c.amount(0), 1)); }
Result ago(const Call& c) { return time_node(shifted(c.setting.now, c.amount(0), -1)); }
Result shift_time(const Call& c) {
  const auto begin = begin_of(c, 0);
  if (!begin) return std::nullopt;
  return time_node(shifted(*begin, c.amount(1), c.integer(2)));
}

/// beside(amount, x, sign): an amount before or after a time; of a day that comes again each year, such a day of each.
Result beside(const Call& c) {
  const When& anchor = c.when(1);
  const int sign = c.integer(2);
  const auto begin = begin_of(c, 1);
  if (!begin) return std::nullopt;
  When when = shifted(*begin, c.amount(0), sign);
  when.counting->from_now = false;
  const bool recurs = anchor.date && !anchor.deictic && !anchor.dated && anchor.fields == kHolidayField;
  if (recurs && !anchor.has_time() && when.grain == Grain::kDay) {
    when = anchor;
    when.grain = Grain::kDay;
    when.date = mapped(anchor.date, [by = c.amount(0), sign](const Interval& day) -> std::optional<Interval> {
      return unit_at(shift(day.from, by, sign), Grain::kDay);
    });
    return time_node(std::move(when));
  }
  when.deictic = !anchor.dated;
  return time_node(std::move(when));
}

/// unit(unit, n): the one that holds this moment, shifted: this week is 0, next year 1.
Result unit(const Call& c) { return time_node(unit_when(c.setting.now, c.grain(0), c.integer(1))); }

/// unit_of(x, unit, n): the same of another time: the week after Easter.
Result unit_of(const Call& c) {
  const auto begin = begin_of(c, 0);
  if (!begin) return std::nullopt;
  return known(unit_at(*begin, c.grain(1), c.integer(2)), c.grain(1), c.when(0));
}

/// units(unit, n): so many units of the calendar or the clock beside the running one, as one stretch: "the last two
/// days". Minutes that are full run no longer.
When units_when(const Setting& setting, Grain grain, std::int64_t count) {
  const Moment here = floor_to(setting.now, grain), next = timex::add(here, grain, 1);
  const Moment from = count < 0 ? timex::add(here, grain, count) : next;
  const Moment to = count < 0 ? here : timex::add(next, grain, count);
  When end = date_of(only({to, to + 1, grain}), grain, kAllFields);
  end.deictic = true;
  When when;
  when.from = std::make_shared<const When>(date_of(only({from, to, grain}), grain, kAllFields));
  when.to = std::make_shared<const When>(std::move(end));
  when.deictic = true;
  when.grain = grain;
  when.counting = counting_of(static_cast<double>(count), grain, true);
  return when;
}
Result units(const Call& c) { return time_node(units_when(c.setting, c.grain(0), c.integer(1))); }

/// rolling(unit, n): so much time up to or from this moment, whatever the calendar; days whole, today among them.
When rolling_when(const Setting& setting, Grain grain, std::int64_t count) {
  const bool hours = grain < Grain::kDay;
  const Moment end = hours ? setting.now : floor_to(setting.now, Grain::kDay) + (count < 0 ? kDaySeconds : 0);
  const Moment far = timex::add(end, grain, count);
  When when = date_of(only({std::min(end, far), std::max(end, far), hours ? Grain::kSecond : Grain::kDay}),
                      Grain::kWeek, kAllFields);
  when.deictic = true;
  when.counting = counting_of(static_cast<double>(count), grain, true);
  return when;
}
Result rolling(const Call& c) { return time_node(rolling_when(c.setting, c.grain(0), c.integer(1))); }

/// near(unit, n): hours and what is shorter roll, longer units are those of the calendar: "the next few hours".
Result near(const Call& c) { return c.grain(0) < Grain::kDay ? rolling(c) : units(c); }

/// limited(amount): from now to its end, which is a limit: "within three days", 三天内.
Result limited(const Call& c) {
  const auto& last = c.amount(0).items.back();
  const bool hours = last.grain < Grain::kDay;
  const Moment from = hours ? c.setting.now : floor_to(c.setting.now, Grain::kDay);
  When when = date_of(only({from, shift(from, c.amount(0), 1), hours ? Grain::kSecond : Grain::kDay}), Grain::kWeek,
                      kAllFields);
  when.deictic = true;
  when.counting = counting_of(last.count, last.grain, true);
  when.counting->bound = true;
  return time_node(std::move(when));
}

/// span_from(x, amount): from a time to the end of an amount.
Result span_from(const Call& c) {
  const auto begin = begin_of(c, 0);
  if (!begin) return std::nullopt;
  return known({*begin, shift(*begin, c.amount(1), 1), Grain::kDay}, Grain::kWeek, c.when(0));
}

/// past_hour(): 刚才 is the past quarter of an hour or the whole; nobody says it of more.
Result past_hour(const Call& c) {
  return known({c.setting.now - kHourSeconds, c.setting.now, Grain::kMinute}, Grain::kWeek);
}

/// rest_of(x): from today to its end, where it has begun.
Result rest_of(const Call& c) {
  const auto whole = resolve(c.when(0), c.setting);
  const Moment today = floor_to(c.setting.now, Grain::kDay);
  if (!whole || !whole->from || !whole->to || *whole->from > today || *whole->to <= today) return std::nullopt;
  return known({today, *whole->to, Grain::kDay}, Grain::kWeek);
}

/// remainder(unit): "the rest of the week"; who speaks of it has the days up to Saturday in mind.
Result remainder(const Call& c) {
  const Interval whole = unit_at(c.setting.now, c.grain(0));
  const bool day = c.grain(0) == Grain::kDay;
  const Moment from = day ? c.setting.now : floor_to(c.setting.now, Grain::kDay);
  const Moment sunday = whole.to - kDaySeconds;
  const Moment to = c.grain(0) == Grain::kWeek && from < sunday ? sunday : whole.to;
  return known({from, to, day ? Grain::kHour : Grain::kDay}, Grain::kWeek);
}

/// begun(unit, today): from its beginning until now, or to the end of today.
Result begun(const Call& c) {
  const bool day = c.grain(0) == Grain::kDay;
  const Moment today = floor_to(c.setting.now, Grain::kDay);
  const Moment to = day ? c.setting.now : c.number(1) != 0 ? today + kDaySeconds : today;
  return known({floor_to(c.setting.now, c.grain(0)), to, day ? Grain::kHour : Grain::kDay}, Grain::kWeek);
}

/// until_end(x): from now to its end, a stretch, so that it goes before "by" with the end as a time of its own.
Result until_end(const Call& c) {
  const auto meaning = resolve(c.when(0), c.setting);
  if (!meaning || !meaning->to) return std::nullopt;
  if (*meaning->to <= c.setting.now) return time_node(open_to(c.when(0), true));
  return if_time(
      stretch(now_when(), date_of(only({*meaning->to, *meaning->to + 1, Grain::kSecond}), Grain::kSecond, kAllFields)));
}

Result weekday_of_week(const Setting& setting, int weekday, int weeks) {
  const Moment day = unit_at(setting.now, Grain::kWeek, weeks).from + (weekday - 1) * kDaySeconds;
  return known(unit_at(day, Grain::kDay), Grain::kDay);
}

/// weekday_in(weekday, n): that of the week so many weeks away. last_weekday(weekday): the one just past.
Result weekday_in(const Call& c) {
  const auto day = weekday_number(c, 0);
  return day ? weekday_of_week(c.setting, *day, c.integer(1)) : Result();
}
Result last_weekday(const Call& c) {
  const auto day = weekday_number(c, 0);
  return day ? weekday_of_week(c.setting, *day, *day < weekday(c.setting.now) ? 0 : -1) : Result();
}

/// weekday_beside(weekday, x, sign): the nearest one before or after a day.
Result weekday_beside(const Call& c) {
  const auto begin = begin_of(c, 1);
  if (!begin || !c.when(0).date) return std::nullopt;
  const Moment from = floor_to(*begin, Grain::kDay);
  const Series& days = *c.when(0).date;
  const auto found = c.number(2) > 0 ? days.next(from + kDaySeconds) : days.previous(from);
  return found ? known(unit_at(found->from, Grain::kDay), Grain::kDay, c.when(1)) : Result();
}

/// weekday_there(amount, weekday, sign): 三周后的周二, that of the week in which an amount ends.
Result weekday_there(const Call& c) {
  const auto day = weekday_number(c, 1);
  const auto& items = c.amount(0).items;
  if (!day || items.size() != 1 || items.front().grain < Grain::kWeek) return std::nullopt;
  const Moment week = floor_to(shift(c.setting.now, c.amount(0), c.integer(2)), Grain::kWeek);
  return known(unit_at(week + (*day - 1) * kDaySeconds, Grain::kDay), Grain::kDay);
}

/// part_there(amount, x, sign): 两个月后的1号, 两年后的五月, that day or month of the month or year in which an amount
/// ends.
Result part_there(const Call& c) {
  const auto& items = c.amount(0).items;
  const When& part = c.when(1);
  const bool day = part.fields == kDayField, month = part.fields == kMonthField;
  if (items.size() != 1 || part.is_stretch() || !part.date) return std::nullopt;
  const Grain whole = day ? Grain::kMonth : Grain::kYear;
  if (!(day || month || part.fields == (kMonthField | kDayField)) || items.front().grain != whole) return std::nullopt;
  const Interval there = unit_at(shift(c.setting.now, c.amount(0), c.integer(2)), whole);
  const auto named = part.date->next(there.from);
  if (!named || named->from >= there.to) return std::nullopt;
  return known(*named, part.grain);
}

/// same_place(x): the same place in another year, month or week: 去年的今天, "this day next month".
Result same_place(const Call& c) {
  const auto begin = begin_of(c, 0);
  if (!begin || !c.when(0).deictic) return std::nullopt;
  const Civil now = civil(c.setting.now), there = civil(*begin);
  const Moment today = floor_to(c.setting.now, Grain::kDay);
  const auto day = [](Moment at) { return known(unit_at(at, Grain::kDay), Grain::kDay); };
  switch (c.when(0).grain) {
    case Grain::kYear:
      return is_day(there.year, now.month, now.day) ? day(midnight(there.year, now.month, now.day)) : Result();
    case Grain::kMonth:
      return is_day(there.year, there.month, now.day) ? day(midnight(there.year, there.month, now.day)) : Result();
    case Grain::kWeek: return day(*begin + today - floor_to(c.setting.now, Grain::kWeek));
    default: return std::nullopt;
  }
}

/// this_time(x): 明天这个时候
Result this_time(const Call& c) {
  const auto begin = begin_of(c, 0);
  const When& day = c.when(0);
  if (!begin || !day.deictic || day.grain != Grain::kDay || day.has_time()) return std::nullopt;
  const Moment at = *begin + since_midnight(c.setting);
  return known({at, at + 1, Grain::kSecond}, Grain::kSecond);
}

/// occurrence(x, n): the n-th from now: forward from 1, back from -1.
Result occurrence(const Call& c) {
  const When& when = c.when(0);
  const int n = c.integer(1);
  if (!when.date || when.has_time()) return std::nullopt;
  const Moment today = floor_to(c.setting.now, Grain::kDay);
  auto found =
      n > 0 ? when.date->next(when.grain == Grain::kDay ? today + kDaySeconds : today) : when.date->previous(today);
  if (n < 0 && found && found->to > today) found = when.date->previous(found->from);
  for (int i = 1; found && i < std::min(std::abs(n), 100); ++i)
    found = n > 0 ? when.date->next(found->from + 1) : when.date->previous(found->from);
  if (!found) return std::nullopt;
  When chosen = when;
  chosen.date = only(*found);
  chosen.fields |= kYearField;
  chosen.deictic = true;
  return time_node(std::move(chosen));
}

/// next_from(x, y): the first from the month of another time on: "Christmas in two years".
Result next_from(const Call& c) {
  const auto begin = begin_of(c, 1);
  const auto found = begin && c.when(0).date ? c.when(0).date->next(floor_to(*begin, Grain::kMonth)) : std::nullopt;
  return found ? known(*found, c.when(0).grain) : Result();
}

/// closest(x, y, n): the n-th nearest to y of all days that x means.
Result closest(const Call& c) {
  const auto begin = begin_of(c, 1);
  const When& named = c.when(0);
  const int n = c.integer(2);
  if (!begin || !named.date || named.has_time() || n < 1 || n > 100) return std::nullopt;
  auto before = named.date->previous(*begin), after = named.date->next(*begin);
  std::optional<Interval> found;
  for (int i = 0; i < n; ++i) {
    const bool back = before && (!after || *begin - before->from <= after->from - *begin);
    found = back ? before : after;
    if (!found) return std::nullopt;
    (back ? before : after) = back ? named.date->previous(found->from) : named.date->next(found->to);
  }
  return known(*found, named.grain, c.when(1));
}

Result season_of_year(Interval interval) {
  When when = date_of(only(interval), Grain::kQuarter, kSeasonField | kYearField);
  when.deictic = true;
  return time_node(std::move(when));
}

std::optional<Interval> season_at(Moment at) {
  for (int season = 0; season < 4; ++season) {
    const auto found = season_when(season).date->previous(at + 1);
    if (found && found->to > at) return found;
  }
  return std::nullopt;
}

/// season_away(n): the season that runs, or one of those around it.
Result season_away(const Call& c) {
  constexpr Moment kMiddle = 45 * kDaySeconds;
  auto here = season_at(c.setting.now);
  for (int i = 0; here && i < std::abs(c.integer(0)); ++i)
    here = season_at(c.number(0) > 0 ? here->to + kMiddle : here->from - kMiddle);
  return here ? season_of_year(*here) : Result();
}

/// seasons_ago(season, n): the n-th before now, the running one apart: "two winters ago".
Result seasons_ago(const Call& c) {
  if (!c.when(0).date) return std::nullopt;
  const Series& seasons = *c.when(0).date;
  auto found = seasons.previous(c.setting.now);
  if (found && found->to > c.setting.now) found = seasons.previous(found->from);
  for (int i = 1; found && i < std::min(c.integer(1), 100); ++i) found = seasons.previous(found->from);
  return found ? season_of_year(*found) : Result();
}

Interval weekend_behind(Moment monday) { return {monday + 5 * kDaySeconds, monday + 7 * kDaySeconds, Grain::kDay}; }

/// weekend(n): of the week so many weeks away
Result weekend(const Call& c) {
  return known(weekend_behind(unit_at(c.setting.now, Grain::kWeek, c.integer(0)).from), Grain::kWeek);
}

/// weekend_at(x): of the week that a day is in; of a holiday that is a Friday or a Monday, the days beside it.
Result weekend_at(const Call& c) {
  const auto begin = begin_of(c, 0);
  if (!begin) return std::nullopt;
  const Moment monday = unit_at(*begin, Grain::kWeek, weekday(*begin) == 1 ? -1 : 0).from;
  return known(weekend_behind(monday), Grain::kWeek, c.when(0));
}

/// long_weekend(x): from the evening before its first free day to the end of its last.
Result long_weekend(const Call& c) {
  const auto begin = begin_of(c, 0);
  if (!begin) return std::nullopt;
  const int day = weekday(*begin);
  if (day != 1 && day != 5) return weekend_at(c);
  constexpr Moment kEvening = 18 * kHourSeconds;
  const Moment first = day == 1 ? *begin - 3 * kDaySeconds : *begin - kDaySeconds;
  return known({first + kEvening, first + 4 * kDaySeconds, Grain::kHour}, Grain::kWeek, c.when(0));
}

/// any_weekend(): the one that the tense of the sentence speaks of: "we danced over the weekend".
Result any_weekend(const Call&) {
  When when = date_of(mapped(weekday_series(6),
                             [](const Interval& saturday) -> std::optional<Interval> {
                               return Interval{saturday.from, saturday.from + 2 * kDaySeconds, Grain::kDay};
                             }),
                      Grain::kWeek, kAllFields);
  when.deictic = true;
  return time_node(std::move(when));
}

// ---- Parts of longer times ----

using Part = std::function<std::optional<Interval>(const Interval&)>;

/// A time that is made of each that another means.
Result part_of(const When& whole, Grain grain, unsigned fields, Part part) {
  When when = whole;
  when.grain = grain;
  when.fields |= fields;
  when.date = mapped(whole.date, std::move(part));
  return time_node(std::move(when));
}

bool is_plain(const When& when) { return when.date && !when.has_time(); }

/// The n-th unit, or with negative n from the end. A week belongs to the month or year that has its Thursday.
Part nth_unit(Grain grain, int n) {
  return [=](const Interval& interval) -> std::optional<Interval> {
    const Moment edge = grain == Grain::kWeek ? 3 * kDaySeconds : 0;
    Interval first = unit_at(interval.from, grain);
    if (first.from + edge < interval.from) first = unit_at(interval.from, grain, 1);
    Interval last = unit_at(interval.to - 1, grain);
    if (last.from + edge >= interval.to) last = unit_at(interval.to - 1, grain, -1);
    const Interval found = unit_at(n > 0 ? first.from : last.from, grain, n > 0 ? n - 1 : n + 1);
    if (found.from < first.from || found.from > last.from) return std::nullopt;
    return found;
  };
}

Part nth_weekday(int weekday, int n) {
  return [=](const Interval& interval) -> std::optional<Interval> {
    const int ahead = (weekday - timex::weekday(interval.from) + 7) % 7;
    const int behind = (timex::weekday(interval.to - 1) - weekday + 7) % 7;
    const Moment first = interval.from + ahead * kDaySeconds;
    const Moment last = floor_to(interval.to - 1, Grain::kDay) - behind * kDaySeconds;
    const Moment at = n > 0 ? first + (n - 1) * 7 * kDaySeconds : last + (n + 1) * 7 * kDaySeconds;
    if (at < first || at > last) return std::nullopt;
    return unit_at(at, Grain::kDay);
  };
}

/// nth(x, unit, n), nth(x, weekday, n): from the end with negative n, -1 is the last
Result nth(const Call& c) {
  const When& whole = c.when(0);
  const int n = c.integer(2);
  if (!is_plain(whole) || n == 0) return std::nullopt;
  if (c[1].kind != NodeKind::kUnit) {
    const auto day = weekday_number(c, 1);
    if (!day || whole.grain <= Grain::kDay) return std::nullopt;
    return part_of(whole, Grain::kDay, kDayField | kWeekdayField, nth_weekday(*day, n));
  }
  if (c.grain(1) >= whole.grain) return std::nullopt;
  return part_of(whole, c.grain(1), unit_when(0, c.grain(1), 0).fields, nth_unit(c.grain(1), n));
}

/// workday_in(x, n): the n-th day, or from the end with negative n, that is no Saturday and no Sunday.
Result workday_in(const Call& c) {
  const When& whole = c.when(0);
  const int n = c.integer(1);
  if (!is_plain(whole) || whole.grain <= Grain::kDay || n == 0 || std::abs(n) > 31) return std::nullopt;
  return part_of(whole, Grain::kDay, kDayField | kWeekdayField, [=](const Interval& all) -> std::optional<Interval> {
    const Moment step = n > 0 ? kDaySeconds : -kDaySeconds;
    int left = std::abs(n);
    for (Moment day = n > 0 ? all.from : all.to - kDaySeconds; day >= all.from && day < all.to; day += step)
      if (weekday(day) < 6 && --left == 0) return unit_at(day, Grain::kDay);
    return std::nullopt;
  });
}

/// weekend_in(x, n): the n-th, or the last with -1, of which the Saturday is in a longer time.
Result weekend_in(const Call& c) {
  const When& whole = c.when(0);
  if (!is_plain(whole) || whole.grain <= Grain::kDay || c.integer(1) == 0) return std::nullopt;
  return part_of(whole, Grain::kWeek, kDayField | kWeekdayField,
                 [saturday = nth_weekday(6, c.integer(1))](const Interval& all) -> std::optional<Interval> {
                   const auto day = saturday(all);
                   if (!day) return std::nullopt;
                   return Interval{day->from, day->from + 2 * kDaySeconds, Grain::kDay};
                 });
}

/// edge(x, unit, n): its first units or, with negative n, its last, where they fit in: "the first two weeks of July"
Result edge(const Call& c) {
  const When& whole = c.when(0);
  const Grain grain = c.grain(1);
  const int n = c.integer(2);
  if (!is_plain(whole) || grain < Grain::kDay || grain >= whole.grain || n == 0) return std::nullopt;
  return part_of(whole, whole.grain, kAllFields, [=](const Interval& all) -> std::optional<Interval> {
    const Interval part = n > 0 ? Interval{all.from, timex::add(all.from, grain, n), Grain::kDay}
                                : Interval{timex::add(all.to, grain, n), all.to, Grain::kDay};
    return part.from < all.from || part.to > all.to ? std::optional<Interval>() : part;
  });
}

constexpr unsigned kPartFields = kDayField | kWeekField | kWeekdayField;

/// third(x, n): the first (0), middle (1) or last (2) part: the days 1 to 10, 11 to 20 and from 21 of a month, thirds
/// of a week and of a year.
Result third_of(const When& whole, int third) {
  const Grain grain = whole.grain;
  const bool parted = grain == Grain::kWeek || grain == Grain::kMonth || grain >= Grain::kYear;
  if (!is_plain(whole) || !parted) return std::nullopt;
  return part_of(whole, grain, kPartFields, [=](const Interval& all) -> std::optional<Interval> {
    Moment a = all.from + 10 * kDaySeconds, b = all.from + 20 * kDaySeconds;
    if (grain == Grain::kWeek) a = all.from + 3 * kDaySeconds, b = all.from + 4 * kDaySeconds;
    if (grain == Grain::kYear) a = timex::add(all.from, Grain::kMonth, 3), b = timex::add(all.from, Grain::kMonth, 8);
    if (grain == Grain::kDecade) a = timex::add(all.from, Grain::kYear, 3), b = timex::add(all.from, Grain::kYear, 7);
    if (grain == Grain::kCentury)
      a = timex::add(all.from, Grain::kYear, 33), b = timex::add(all.from, Grain::kYear, 67);
    return Interval{third == 0   ? all.from
                    : third == 1 ? a
                                 : b,
                    third == 0   ? a
                    : third == 1 ? b
                                 : all.to,
                    grain == Grain::kYear ? Grain::kMonth : Grain::kDay};
  });
}
Result third(const Call& c) { return third_of(c.when(0), c.integer(1)); }

/// half_of(x, second): the first or second half of a month or year; of other times the beginning or end. "early"
Result half_of(const Call& c) {
  const When& whole = c.when(0);
  const bool second = c.number(1) != 0;
  const Grain grain = whole.grain;
  if (grain != Grain::kMonth && grain != Grain::kYear) return third_of(whole, second ? 2 : 0);
  if (!is_plain(whole)) return std::nullopt;
  return part_of(whole, grain, kPartFields, [=](const Interval& all) -> std::optional<Interval> {
    const bool month = grain == Grain::kMonth;
    const Moment middle = month ? all.from + 15 * kDaySeconds : timex::add(all.from, Grain::kMonth, 6);
    return Interval{second ? middle : all.from, second ? all.to : middle, month ? Grain::kDay : Grain::kMonth};
  });
}

/// week_of(x): the week in which a day lies, like the day one in each year
Result week_of(const Call& c) {
  if (!c.when(0).date) return std::nullopt;
  return part_of(c.when(0), Grain::kWeek, kAllFields,
                 [](const Interval& day) -> std::optional<Interval> { return unit_at(day.from, Grain::kWeek); });
}

/// day_beside(x, sign): like the day beside it one in each year
Result day_beside(const Call& c) {
  if (!c.when(0).date) return std::nullopt;
  return part_of(c.when(0), Grain::kDay, 0, [before = c.number(1) < 0](const Interval& day) -> std::optional<Interval> {
    return unit_at(before ? day.from - kDaySeconds : day.to, Grain::kDay);
  });
}

/// days_beside(x, amount, sign): 春节前三天, as many days, weeks or months up to it or behind it
Result days_beside(const Call& c) {
  const Amount& amount = c.amount(1);
  const int sign = c.integer(2);
  if (!c.when(0).date || amount.items.back().grain < Grain::kDay) return std::nullopt;
  if (amount.items.size() == 1 && amount.items.front().grain == Grain::kDay && amount.items.front().count == 1) {
    const Node* const operands[] = {c.values[0], c.values[2]};
    return day_beside({c.setting, operands});
  }
  return part_of(c.when(0), Grain::kWeek, 0, [amount, sign](const Interval& day) -> std::optional<Interval> {
    if (sign < 0) return Interval{shift(day.from, amount, -1), day.from, Grain::kDay};
    return Interval{day.to, shift(day.to, amount, 1), Grain::kDay};
  });
}

// ---- Times that belong together ----

/// join(x, y): two that speak of one time, "Monday" and "at five"
Result join(const Call& c) { return if_time(combine(c.when(0), c.when(1))); }

/// in_time(x, y): a holiday or season of a year that is named otherwise
Result in_time(const Call& c) {
  const When& other = c.when(1);
  if (!c.when(0).date || !other.date || (other.fields & (kMonthField | kDayField)) != 0) return std::nullopt;
  When when = c.when(0);
  when.date = within(when.date, other.date);
  when.fields |= other.fields;
  when.dated = other.dated;
  when.deictic = other.deictic;
  return time_node(std::move(when));
}

/// with_year(x, year): years go with days, not with hours
Result with_year(const Call& c) {
  When day = c.when(0);
  day.clock.reset();
  const auto whole = unit_at(midnight(c.integer(1), 1, 1), Grain::kYear);
  auto both = combine(day, dated(whole, Grain::kYear, kYearField));
  if (!both) return std::nullopt;
  both->clock = c.when(0).clock;
  both->zone_minutes = c.when(0).zone_minutes;
  return if_time(std::move(both));
}

/// start_year(x): the year in which it begins, a number. like(x, y): x, said as y is.
Result start_year(const Call& c) {
  const auto begin = begin_of(c, 0);
  return begin ? Result(number_node(static_cast<double>(civil(*begin).year))) : std::nullopt;
}
Result like(const Call& c) {
  When when = c.when(0);
  when.deictic = c.when(1).deictic;
  when.dated = c.when(1).dated;
  return time_node(std::move(when));
}

/// past(x, n): of the past with 1, to come with 0, whatever the sentence says. pointed(x): points at this moment.
Result past(const Call& c) {
  When when = c.when(0);
  when.past = c.number(1) != 0;
  return time_node(std::move(when));
}
Result pointed(const Call& c) {
  When when = c.when(0);
  when.deictic = true;
  return time_node(std::move(when));
}

/// either_week(x): of this week to some, of another to others. uncounted(x): its days are certain.
Result either_week(const Call& c) {
  When when = c.when(0);
  when.either_week = true;
  return time_node(std::move(when));
}
Result uncounted(const Call& c) {
  When when = c.when(0);
  when.counting.reset();
  return time_node(std::move(when));
}

/// latent(x), latent(x, condition): a time only among others. worded(x, n): in words if the number is.
Result latent(const Call& c) {
  Node node = c[0];
  node.latent = c.size() == 1 || c.number(1) != 0;
  return node;
}
Result worded(const Call& c) {
  Node node = c[0];
  node.words = c[1].words;
  return node;
}

/// ordinal(n): 初三
Result ordinal(const Call& c) {
  Node node = number_node(c.number(0));
  node.latent = node.ordinal = true;
  node.digits = 2;
  return node;
}

/// idiom(): words of time that mean none
Result idiom(const Call&) {
  Node node;
  node.kind = NodeKind::kIdiom;
  return node;
}

// ---- Stretches ----

/// since(x) and after(x), which is from its end on; until(x) and through(x), which has it to its end
Result since(const Call& c) { return time_node(open_from(c.when(0), false)); }
Result after(const Call& c) { return time_node(open_from(c.when(0), true)); }
Result until(const Call& c) { return time_node(open_to(c.when(0), false)); }
Result through(const Call& c) { return time_node(open_to(c.when(0), true)); }

/// stretch(x, y); open_end(x): y no longer belongs to it; begin(x), end(x)
Result stretch_time(const Call& c) { return if_time(stretch(c.when(0), c.when(1))); }
Result open_end(const Call& c) {
  When when = c.when(0);
  when.counts_end = false;
  return time_node(std::move(when));
}
Result begin(const Call& c) { return c.when(0).from ? Result(time_node(*c.when(0).from)) : std::nullopt; }
Result end(const Call& c) { return c.when(0).to ? Result(time_node(*c.when(0).to)) : std::nullopt; }

/// days(n, n, x): "13 to 15 July"
Result days(const Call& c) {
  const auto day = [&](std::size_t i) {
    return combine(date_of(day_of_month_series(c.integer(i)), Grain::kDay, kDayField), c.when(2));
  };
  const auto from = day(0), to = day(1);
  if (!from || !to || c.number(0) >= c.number(1)) return std::nullopt;
  return if_time(stretch(*from, *to));
}

/// up_to_day(n, x): "from the 4th to 22 January", a day of the month of the last
Result up_to_day(const Call& c) {
  if (!c.when(1).date) return std::nullopt;
  When begin = c.when(1);
  begin.date = mapped(begin.date, [day = c.integer(0)](const Interval& last) -> std::optional<Interval> {
    const Civil date = civil(last.from);
    if (day >= date.day) return std::nullopt;
    return unit_at(midnight(date.year, date.month, day), Grain::kDay);
  });
  return if_time(stretch(begin, c.when(1)));
}

/// lasting(x, amount): "two weeks starting on Monday", 从今天起三天
Result lasting(const Call& c) {
  const When& begin = c.when(0);
  const auto& item = c.amount(1).items.front();
  When when;
  when.from = std::make_shared<const When>(begin);
  when.length = begin.has_time() ? std::pair(Grain::kSecond, shift(0, c.amount(1), 1))
                                 : std::pair(item.grain, static_cast<std::int64_t>(item.count));
  when.deictic = begin.deictic;
  when.dated = begin.dated;
  return time_node(std::move(when));
}

constexpr Function kFunctions[] = {
    {"ahead", 1, 1, ahead, true},
    {"ago", 1, 1, ago, true},
    {"shift", 3, 3, shift_time, true},
    {"beside", 3, 3, beside, true},
    {"unit", 2, 2, unit, true},
    {"unit_of", 3, 3, unit_of, true},
    {"units", 2, 2, units, true},
    {"rolling", 2, 2, rolling, true},
    {"near", 2, 2, near, true},
    {"limited", 1, 1, limited, true},
    {"span_from", 2, 2, span_from, true},
    {"past_hour", 0, 0, past_hour, true},
    {"rest_of", 1, 1, rest_of, true},
    {"remainder", 1, 1, remainder, true},
    {"begun", 2, 2, begun, true},
    {"until_end", 1, 1, until_end, true},
    {"weekday_in", 2, 2, weekday_in, true},
    {"last_weekday", 1, 1, last_weekday, true},
    {"weekday_beside", 3, 3, weekday_beside, true},
    {"weekday_there", 3, 3, weekday_there, true},
    {"part_there", 3, 3, part_there, true},
    {"same_place", 1, 1, same_place, true},
    {"this_time", 1, 1, this_time, true},
    {"occurrence", 2, 2, occurrence, true},
    {"next_from", 2, 2, next_from, true},
    {"closest", 3, 3, closest, true},
    {"season_away", 1, 1, season_away, true},
    {"seasons_ago", 2, 2, seasons_ago, true},
    {"weekend", 1, 1, weekend, true},
    {"weekend_at", 1, 1, weekend_at, true},
    {"long_weekend", 1, 1, long_weekend, true},
    {"any_weekend", 0, 0, any_weekend},
    {"nth", 3, 3, nth, true},
    {"workday_in", 2, 2, workday_in},
    {"weekend_in", 2, 2, weekend_in},
    {"edge", 3, 3, edge},
    {"third", 2, 2, third},
    {"half_of", 2, 2, half_of},
    {"week_of", 1, 1, week_of},
    {"day_beside", 2, 2, day_beside},
    {"days_beside", 3, 3, days_beside},
    {"join", 2, 2, join},
    {"in_time", 2, 2, in_time},
    {"with_year", 2, 2, with_year},
    {"start_year", 1, 1, start_year, true},
    {"like", 2, 2, like},
    {"past", 2, 2, past},
    {"pointed", 1, 1, pointed},
    {"either_week", 1, 1, either_week},
    {"uncounted", 1, 1, uncounted},
    {"latent", 1, 2, latent},
    {"worded", 2, 2, worded},
    {"ordinal", 1, 1, ordinal},
    {"idiom", 0, 0, idiom},
    {"since", 1, 1, since},
    {"after", 1, 1, after},
    {"until", 1, 1, until},
    {"through", 1, 1, through},
    {"stretch", 2, 2, stretch_time},
    {"open_end", 1, 1, open_end},
    {"begin", 1, 1, begin},
    {"end", 1, 1, end},
    {"days", 3, 3, days},
    {"up_to_day", 2, 2, up_to_day},
    {"lasting", 2, 2, lasting},
};

}  // namespace

std::span<const Function> counted_functions() { return kFunctions; }

}  // namespace weft::timex
