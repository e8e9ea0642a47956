#include "text/time/calendar_days.h"

namespace weft::timex {

Rules calendar_days(std::span<const FixedDay> fixed, std::span<const FloatingDay> floating) {
  Rules rules;
  for (const FixedDay& day : fixed)
    rules.push_back(holiday(day.words, [=](std::int64_t year) { return midnight(year, day.month, day.day); }));
  for (const FloatingDay& day : floating)
    rules.push_back(holiday(day.words, [=](std::int64_t year) {
      return weekday_of_month(year, day.month, day.weekday, day.nth) + day.shift * kDaySeconds;
    }));
  return rules;
}

}  // namespace weft::timex
