#include "text/time/when.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::timex {
namespace {

Grain finer(Grain grain) {
  switch (grain) {
    case Grain::kMinute: return Grain::kSecond;
    case Grain::kHour: return Grain::kMinute;
    case Grain::kDay: return Grain::kHour;
    case Grain::kWeek: return Grain::kDay;
    case Grain::kMonth: return Grain::kDay;
    case Grain::kQuarter:
    case Grain::kHalf:
    case Grain::kYear: return Grain::kMonth;
    case Grain::kDecade:
    case Grain::kCentury: return Grain::kYear;
    case Grain::kSecond: break;
  }
  return Grain::kSecond;
}

double parts_of(Grain grain) {
  switch (grain) {
    case Grain::kMinute:
    case Grain::kHour: return 60;
    case Grain::kDay: return 24;
    case Grain::kWeek: return 7;
    case Grain::kMonth: return 30;
    case Grain::kQuarter: return 3;
    case Grain::kHalf: return 6;
    case Grain::kYear: return 12;
    case Grain::kDecade: return 10;
    case Grain::kCentury: return 100;
    case Grain::kSecond: break;
  }
  return 1;
}

bool sane(const Meaning& meaning) {
  static const Moment first = midnight(1, 1, 1), last = midnight(10000, 1, 1);
  const auto inside = [](const std::optional<Moment>& at) { return !at || (*at >= first && *at <= last); };
  return inside(meaning.from) && inside(meaning.to) && (!meaning.from || !meaning.to || *meaning.from <= *meaning.to);
}

/// The occurrence that is meant. A weekday said on such a day is never today.
std::optional<Interval> choose(const When& when, Moment now, bool past) {
  const Series& series = *when.date;
  if (when.anyhow && (when.fields & kMonthField) != 0) {
    // "Friday, 18 July": dates are announced up to two years ahead and told of within one. If the weekday fits none of
    // these, it is wrong and the date right.
    constexpr Moment kYear = 366 * kDaySeconds;
    const auto coming = series.next(floor_to(now, Grain::kDay));
    const auto gone = series.previous(floor_to(now, Grain::kDay));
    const bool soon = coming && ((when.fields & kYearField) != 0 || coming->from - now < 2 * kYear);
    const bool lately = gone && ((when.fields & kYearField) != 0 || now - gone->from < kYear);
    if (soon && lately) return past || now - gone->from < coming->from - now ? gone : coming;
    if (soon) return coming;
    if (lately) return gone;
    When plain = when;
    plain.date = when.anyhow;
    plain.anyhow = nullptr;
    return choose(plain, now, past);
  }
  const bool weekday_only = when.fields == kWeekdayField;
  const Moment today = floor_to(now, Grain::kDay);
  if (past) {
    auto found = series.previous(weekday_only ? today : today + 1);
    return found ? found : series.next(today);
  }
  const auto running = series.previous(today + 1);
  if (running && running->to > today && !weekday_only) return running;
  auto found = series.next(weekday_only ? today + kDaySeconds : today);
  return found ? found : running;
}

Meaning of_interval(const Interval& interval) {
  Meaning meaning;
  meaning.from = interval.from;
  meaning.to = interval.to;
  meaning.grain = interval.grain;
  return meaning;
}

Meaning of_point(Moment at, Grain grain) {
  Meaning meaning;
  meaning.from = at;
  meaning.to = add(at, grain, 1);
  meaning.grain = grain;
  meaning.point = true;
  return meaning;
}

Moment seconds_of(const Clock& clock) {
  return clock.hour * kHourSeconds + clock.minute * kMinuteSeconds + clock.second;
}

/// A clock time without a day: the next such moment, or the last.
Meaning clock_alone(const Clock& clock, const Setting& setting, bool past, Moment zone_shift) {
  const Moment today = floor_to(setting.now, Grain::kDay);
  std::vector<Moment> candidates;
  for (int day = -1; day <= 1; ++day) {
    const Moment at = today + day * kDaySeconds + seconds_of(clock) + zone_shift;
    candidates.push_back(at);
    if (clock.ambiguous) candidates.push_back(at + 12 * kHourSeconds);
  }
  std::sort(candidates.begin(), candidates.end());
  Moment chosen = past ? candidates.front() : candidates.back();
  for (const Moment at : candidates) {
    if (past && at <= setting.now) chosen = at;
    if (!past && at >= setting.now) {
      chosen = at;
      break;
    }
  }
  return of_point(chosen, clock.grain);
}

std::optional<Meaning> resolve_day(const When& when, const Interval& day, const Setting& setting, bool past) {
  if (when.clock) {
    const Moment shift_by = when.zone_minutes ? (setting.offset_minutes - *when.zone_minutes) * kMinuteSeconds : 0;
    Moment at = day.from + seconds_of(*when.clock) + shift_by;
    const bool today = setting.now >= day.from && setting.now < day.to;
    // Today at eight, said at noon, is the evening; on another day the waking hours decide nothing for sure.
    if (when.clock->ambiguous && today && !past && at < setting.now) at += 12 * kHourSeconds;
    return of_point(at, when.clock->grain);
  }
  if (when.part) {
    Meaning meaning;
    meaning.from = day.from + when.part->from * kMinuteSeconds;
    meaning.to = day.from + when.part->to * kMinuteSeconds;
    meaning.grain = Grain::kHour;
    return meaning;
  }
  return of_interval(day);
}

std::optional<Meaning> resolve_point(const When& when, const Setting& setting) {
  const bool past = when.past.value_or(setting.past);
  if (when.is_now) return of_point(setting.now, Grain::kSecond);
  if (!when.date) {
    if (when.clock) {
      const Moment shift_by = when.zone_minutes ? (setting.offset_minutes - *when.zone_minutes) * kMinuteSeconds : 0;
      return clock_alone(*when.clock, setting, past, shift_by);
    }
    if (!when.part) return std::nullopt;
    return resolve_day(when, unit_at(setting.now, Grain::kDay), setting, past);
  }
  const auto day = choose(when, setting.now, past);
  if (!day) return std::nullopt;
  if (day->grain < Grain::kDay) {
    const bool point = day->to - day->from <= 1;
    return point ? of_point(day->from, day->grain) : of_interval(*day);
  }
  return resolve_day(when, *day, setting, past);
}

/// The day on which a clock time was said to be, in the zone of its own.
Moment day_of(const When& when, Moment at, const Setting& setting) {
  const Moment by = when.zone_minutes ? (setting.offset_minutes - *when.zone_minutes) * kMinuteSeconds : 0;
  return floor_to(at - by, Grain::kDay);
}

/// The later end: the first occurrence that is not over when the stretch begins.
std::optional<Meaning> resolve_end(const When& when, const Meaning& begin, const Setting& setting) {
  Setting then = setting;
  then.past = false;
  if (when.deictic || when.dated || !begin.from) return resolve(when, when.deictic ? setting : then);
  then.now = *begin.from;
  if (!when.date && when.clock && !when.clock->ambiguous && !when.zone_minutes) {
    const Moment at = floor_to(*begin.from, Grain::kDay) + seconds_of(*when.clock);
    return of_point(at > *begin.from ? at : at + kDaySeconds, when.clock->grain);
  }
  return resolve(when, then);
}

/// "from 1 October to 7 November", said in between, is this year's.
bool is_running(const When& when, const Setting& setting) {
  if (!when.to || setting.past || when.deictic || when.dated || !when.from->date || when.from->has_time()) return false;
  Setting before = setting;
  before.past = true;
  const auto begin = resolve(*when.from, before);
  if (!begin || !begin->from || *begin->from > setting.now) return false;
  const auto end = resolve_end(*when.to, *begin, setting);
  return end && end->to && *end->to > setting.now;
}

/// "March to June 2023": the year stands at the end only, and the beginning is the last such time before it.
std::optional<Meaning> begin_by_end(const When& when, const Setting& setting) {
  if (!when.from || !when.to) return std::nullopt;
  const When& from = *when.from;
  const When& to = *when.to;
  if (!from.date || from.deictic || from.dated || (from.fields & kYearField) != 0) return std::nullopt;
  const bool by_year = to.deictic && (from.fields & kMonthField) != 0;
  if ((to.fields & kYearField) == 0 || !(to.dated || by_year)) return std::nullopt;
  const auto end = resolve(to, setting);
  if (!end || !end->from) return std::nullopt;
  Setting then = setting;
  then.past = true;
  then.now = *end->from;
  return resolve(from, then);
}

std::optional<Meaning> resolve_stretch(const When& when, const Setting& setting) {
  Meaning meaning;
  if (when.from) {
    const auto told = begin_by_end(when, setting);
    auto begin = told ? told : resolve(*when.from, setting);
    if (begin && !told && is_running(when, setting)) {
      Setting before = setting;
      before.past = true;
      begin = resolve(*when.from, before);
    }
    if (!begin || !begin->from) return std::nullopt;
    meaning = *begin;
    meaning.point = false;
    if (when.length) {
      meaning.to = add(*begin->from, when.length->first, when.length->second);
      return meaning;
    }
    if (!when.to) {
      if (when.counts_end && begin->to && !begin->point) meaning.from = begin->to;
      meaning.to.reset();
      return meaning;
    }
  }
  const bool one_day = when.from && when.to->date && when.from->date == when.to->date && when.to->clock &&
                       when.from->grain == Grain::kDay;
  std::optional<Meaning> end;
  if (one_day) {
    Moment day = day_of(*when.from, *meaning.from, setting);
    if (when.from->clock && when.from->clock->hour >= 24) day -= kDaySeconds;  // 昨晚一点半到三点
    end = resolve_day(*when.to, unit_at(day, Grain::kDay), setting, false);
    if (end && *end->from <= *meaning.from) end->from = *end->from + kDaySeconds;
  } else {
    end = when.from ? resolve_end(*when.to, meaning, setting) : resolve(*when.to, setting);
  }
  if (!end) return std::nullopt;
  meaning.grain = std::min(when.from ? meaning.grain : end->grain, end->grain);
  meaning.to = when.counts_end && !end->point ? end->to : end->from;
  if (when.from && meaning.from && meaning.to && *meaning.to <= *meaning.from) return std::nullopt;
  return meaning;
}

/// "11 to 4 on Monday": the end is in the afternoon where it would come before the beginning.
WhenPtr later_half(const When& from, const WhenPtr& to) {
  if (!from.clock || !to->clock || !from.clock->ambiguous || !to->clock->ambiguous) return to;
  if (to->clock->hour >= 12 || seconds_of(*to->clock) > seconds_of(*from.clock)) return to;
  When late = *to;
  late.clock->hour += 12;
  late.clock->ambiguous = false;
  return std::make_shared<const When>(std::move(late));
}

/// Saturdays and Sundays are not counted.
Moment shift_working_days(Moment at, int count, int sign) {
  for (int left = std::min(count, 1000); left > 0;) {
    at += sign * kDaySeconds;
    if (weekday(at) < 6) --left;
  }
  return at;
}

bool is_day_or_open(const When& when) { return !when.date || when.grain == Grain::kDay; }

/// A clock time within a part of the day: five in the afternoon is 17:00, twelve at night the end of the day.
Clock in_part(Clock clock, const PartOfDay& part) {
  constexpr int kMorning = 5;  // o'clock
  if (part.into_night && clock.hour < kMorning) {
    clock.hour += 24;
    clock.ambiguous = false;
    return clock;
  }
  if (!clock.ambiguous) {
    // 下午05:30 is written with a zero that says nothing.
    const int first = part.name == PartName::kAfternoon ? 1 : part.name == PartName::kEvening ? 5 : 12;
    if (clock.hour >= first && clock.hour < 12) clock.hour += 12;
    return clock;
  }
  clock.ambiguous = false;
  const bool late = part.name != PartName::kMorning && !(part.name == PartName::kOther && part.to <= 12 * 60);
  const bool night = part.name == PartName::kNight || part.name == PartName::kEvening;
  if (clock.hour == 12) {
    if (night) clock.hour = 24;
    if (part.name == PartName::kMorning && part.from < 4 * 60) clock.hour = 0;
  } else if (part.name == PartName::kNoon) {
    if (clock.hour < 5) clock.hour += 12;
  } else if (late && part.to > kMorning * 60) {
    clock.hour += 12;
  }
  return clock;
}

std::optional<When> combine_dates(const When& a, const When& b) {
  if (!a.date || !b.date) {
    const When& dated = a.date ? a : b;
    return dated;
  }
  if ((a.fields & b.fields) != 0) return std::nullopt;
  const bool a_finer = a.grain < b.grain || (a.grain == b.grain && (a.fields & kWeekdayField) != 0);
  const When& fine = a_finer ? a : b;
  const When& coarse = a_finer ? b : a;
  if (fine.grain == coarse.grain && fine.fields != kWeekdayField) return std::nullopt;
  if (fine.fields == kDayField && (coarse.fields & kMonthField) == 0) return std::nullopt;
  if (fine.fields == kWeekdayField && (coarse.fields & (kDayField | kWeekField)) == 0) return std::nullopt;
  When both = fine;
  both.counting.reset();
  both.either_week = false;
  both.date = within(fine.date, coarse.date);
  both.fields |= coarse.fields;
  if (fine.anyhow) both.anyhow = within(fine.anyhow, coarse.date);
  if (coarse.anyhow || (fine.fields == kWeekdayField && coarse.grain == Grain::kDay)) {
    both.anyhow = coarse.anyhow ? coarse.anyhow : coarse.date;
  }
  both.dated = a.dated || b.dated;
  both.deictic = a.deictic || b.deictic;
  if (coarse.past) both.past = coarse.past;
  return both;
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

// "Friday the 13th" and "29 February" come within this many tries; what never comes must end.
constexpr int kTries = 60;

SeriesPtr make(Series::Step next, Series::Step previous) {
  return std::make_shared<const Series>(std::move(next), std::move(previous));
}

}  // namespace

Moment shift(Moment at, const Amount& amount, int sign) {
  if (amount.business) return shift_working_days(at, static_cast<int>(amount.items.front().count), sign);
  for (const auto& [count, grain] : amount.items) {
    const double whole = std::trunc(std::clamp(count, -1e9, 1e9));
    at = add(at, grain, sign * static_cast<std::int64_t>(whole));
    const double rest = (count - whole) * parts_of(grain);
    if (rest > 0 && rest < parts_of(grain)) at = add(at, finer(grain), sign * std::llround(rest));
  }
  return at;
}

std::optional<Meaning> resolve(const When& when, const Setting& setting) {
  const auto meaning = when.is_stretch() ? resolve_stretch(when, setting) : resolve_point(when, setting);
  if (!meaning || !sane(*meaning)) return std::nullopt;
  return meaning;
}

std::optional<Meaning> rolled(const When& when, const Setting& setting) {
  if (!when.counting || !when.counting->rolls || when.counting->unit <= Grain::kDay) return std::nullopt;
  const auto& [count, unit, from_now, rolls, bound] = *when.counting;
  const Moment here = floor_to(setting.now, Grain::kDay);
  const Moment far = add(here, unit, std::llround(count));
  const Grain exact = unit == Grain::kWeek                            ? Grain::kDay
                      : unit >= Grain::kYear && std::abs(count) > 1.5 ? Grain::kYear
                                                                      : Grain::kMonth;
  Meaning meaning;
  meaning.from = unit_at(std::min(here, far), exact).from;
  meaning.to = unit_at(std::max(here, far), exact).to;
  meaning.grain = Grain::kDay;
  return sane(meaning) ? std::optional(meaning) : std::nullopt;
}

std::optional<When> combine(const When& a, const When& b) {
  if (a.is_now || b.is_now) return std::nullopt;
  if (a.is_stretch() || b.is_stretch()) {
    // "between 9 and 11" on Thursday: the day belongs to both ends.
    const When& stretch = a.is_stretch() ? a : b;
    const When& day = a.is_stretch() ? b : a;
    if (day.is_stretch() || !day.date || day.clock) return std::nullopt;
    const bool week = day.grain == Grain::kWeek && (day.fields & kWeekField) != 0;  // "last week from Monday to Friday"
    if (day.grain != Grain::kDay && !week) return std::nullopt;
    When both = stretch;
    for (WhenPtr When::* end : {&When::from, &When::to}) {
      const WhenPtr old = stretch.*end;
      if (!old) continue;
      if (week ? old->fields != kWeekdayField || old->has_time() : old->date || !old->clock) return std::nullopt;
      auto dated = combine(*old, day);
      if (!dated) return std::nullopt;
      both.*end = std::make_shared<const When>(std::move(*dated));
    }
    both.deictic = day.deictic;
    if (both.from && both.to) both.to = later_half(*both.from, both.to);
    return both;
  }
  if (a.clock && b.clock) return std::nullopt;
  if (a.part && b.part) return std::nullopt;
  if (!is_day_or_open(a) && b.has_time()) return std::nullopt;
  if (!is_day_or_open(b) && a.has_time()) return std::nullopt;
  if (a.date && a.date == b.date) return std::nullopt;
  auto both = combine_dates(a, b);
  if (!both) return std::nullopt;
  both->part = a.part ? a.part : b.part;
  both->clock = a.clock ? a.clock : b.clock;
  both->zone_minutes = a.zone_minutes ? a.zone_minutes : b.zone_minutes;
  if (both->clock && both->part) both->clock = in_part(*both->clock, *both->part);
  both->deictic = a.deictic || b.deictic;
  if (both->has_time() && both->date && both->grain != Grain::kDay) return std::nullopt;
  return both;
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

SeriesPtr only(Interval interval) {
  return make([=](Moment at) { return interval.from >= at ? std::optional(interval) : std::nullopt; },
              [=](Moment at) { return interval.from < at ? std::optional(interval) : std::nullopt; });
}

SeriesPtr each(Grain grain) {
  return make(
      [=](Moment at) -> std::optional<Interval> {
        const Interval here = unit_at(at, grain);
        return here.from >= at ? here : unit_at(at, grain, 1);
      },
      [=](Moment at) -> std::optional<Interval> { return unit_at(at - 1, grain); });
}

SeriesPtr yearly(std::function<std::optional<Interval>(std::int64_t)> of_year, int reach) {
  // A stretch named after a year may begin in the one before (winter), and leap days skip up to eight years.
  const auto walk = [of_year = std::move(of_year), reach](Moment at, bool forward) -> std::optional<Interval> {
    const std::int64_t year = civil(at).year;
    for (int i = -1; i <= reach; ++i) {
      const auto found = of_year(forward ? year + i : year - i);
      if (found && (forward ? found->from >= at : found->from < at)) return found;
    }
    return std::nullopt;
  };
  return make([walk](Moment at) { return walk(at, true); }, [walk](Moment at) { return walk(at, false); });
}

SeriesPtr month_series(int month) {
  return yearly(
      [=](std::int64_t year) -> std::optional<Interval> { return unit_at(midnight(year, month, 1), Grain::kMonth); });
}

SeriesPtr date_series(int month, int day) {
  return yearly([=](std::int64_t year) -> std::optional<Interval> {
    if (!is_day(year, month, day)) return std::nullopt;
    return unit_at(midnight(year, month, day), Grain::kDay);
  });
}

SeriesPtr day_of_month_series(int day) {
  return mapped(each(Grain::kMonth), [=](const Interval& month) -> std::optional<Interval> {
    const Moment at = month.from + (day - 1) * kDaySeconds;
    if (at >= month.to) return std::nullopt;
    return unit_at(at, Grain::kDay);
  });
}

SeriesPtr weekday_series(int weekday) {
  return mapped(each(Grain::kWeek), [=](const Interval& week) -> std::optional<Interval> {
    return unit_at(week.from + (weekday - 1) * kDaySeconds, Grain::kDay);
  });
}

SeriesPtr mapped(SeriesPtr series, std::function<std::optional<Interval>(const Interval&)> part) {
  return make(
      [=](Moment at) -> std::optional<Interval> {
        auto whole = series->previous(at);
        if (!whole) whole = series->next(at);
        for (int i = 0; whole && i < kTries; ++i, whole = series->next(whole->from + 1)) {
          const auto found = part(*whole);
          if (found && found->from >= at) return found;
        }
        return std::nullopt;
      },
      [=](Moment at) -> std::optional<Interval> {
        auto whole = series->next(at);
        if (!whole) whole = series->previous(at);
        for (int i = 0; whole && i < kTries; ++i, whole = series->previous(whole->from)) {
          const auto found = part(*whole);
          if (found && found->from < at) return found;
        }
        return std::nullopt;
      });
}

SeriesPtr within(SeriesPtr fine, SeriesPtr coarse) {
  return make(
      [=](Moment at) -> std::optional<Interval> {
        auto whole = coarse->previous(at);
        if (!whole || whole->to <= at) whole = coarse->next(at);
        for (int i = 0; whole && i < kTries; ++i, whole = coarse->next(whole->from + 1)) {
          const auto found = fine->next(std::max(at, whole->from));
          if (found && found->from < whole->to) return found;
        }
        return std::nullopt;
      },
      [=](Moment at) -> std::optional<Interval> {
        auto whole = coarse->previous(at);
        for (int i = 0; whole && i < kTries; ++i, whole = coarse->previous(whole->from)) {
          const auto found = fine->previous(std::min(at, whole->to));
          if (found && found->from >= whole->from) return found;
        }
        return std::nullopt;
      });
}

}  // namespace weft::timex
