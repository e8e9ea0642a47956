// From one time to another, and open to one side: what one end leaves unsaid is taken from the other.
#include <algorithm>

#include "text/time/rules.h"

namespace weft::timex {
namespace {

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

}  // namespace

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

}  // namespace weft::timex
