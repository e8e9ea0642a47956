// From one time to another, and times that belong together.
#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

using Result = std::optional<Node>;

/// "13 to 15 July": two days of one month.
Result days_of(int first, int last, const When& month) {
  const auto from = combine(day_of_month(first), month);
  const auto to = combine(day_of_month(last), month);
  if (!from || !to || first >= last) return std::nullopt;
  return if_time(stretch(*from, *to));
}

/// "from the 4th to 22 January": a day of the month of the last.
Result up_to_day(int day, const When& end) {
  When begin = end;
  begin.date = mapped(end.date, [=](const Interval& last) -> std::optional<Interval> {
    const Civil date = civil(last.from);
    if (day >= date.day) return std::nullopt;
    return unit_at(midnight(date.year, date.month, day), Grain::kDay);
  });
  return if_time(stretch(begin, end));
}

Result years(int first, int last) {
  if (first >= last) return std::nullopt;
  return if_time(stretch(year_when(first), year_when(last)));
}

/// "15 to noon" counts minutes.
bool is_minutes_to(const Args& a) {
  const When& to = a.when(1);
  const bool named = to.clock && !to.date && !to.clock->ambiguous && to.clock->hour % 12 == 0;
  const When& from = a.when(0);
  if (!named || !a[0].latent || !from.clock || from.clock->minute != 0) return false;
  return from.clock->hour == 5 || from.clock->hour == 15 || from.clock->hour == 20;
}

/// "the second to last Friday of May" is one day.
bool counts_from_end(const Args& a) {
  return a[0].latent && a.when(0).fields == kDayField && (a.when(1).fields & (kWeekdayField | kWeekField)) != 0;
}

/// "two weeks starting on Monday".
Result last_for(const Args& a) {
  const When& begin = a.when(1);
  if (begin.is_now) return std::nullopt;
  When when;
  when.from = std::make_shared<const When>(begin);
  const Moment length = shift(0, *a[0].amount, 1);
  const auto& item = a[0].amount->items.front();
  when.length = begin.has_time() ? std::pair(Grain::kSecond, length)
                                 : std::pair(item.grain, static_cast<std::int64_t>(item.count));
  when.deictic = begin.deictic;
  when.dated = begin.dated;
  return time_node(std::move(when));
}

}  // namespace

Rules stretches() {
  return {
      {"<month> the? <eday> -|to|until|till|til|thru|through|and the? <eday>",
       [](const Args& a) { return days_of(a.integer(1), a.integer(2), a.when(0)); }},
      {"<month> from|between the? <eday> -|to|until|till|til|thru|through|and the? <eday>",
       [](const Args& a) { return days_of(a.integer(1), a.integer(2), a.when(0)); }},
      {"from|between? the? <eday> -|to|until|till|til|thru|through|and the? <eday> of|,|in? <month>",
       [](const Args& a) { return days_of(a.integer(0), a.integer(1), a.when(2)); }},
      {"from|between? the? <eday> -|to|until|till|til|thru|through|and the? <eday> of|,|in? <coarse>",
       [](const Args& a) -> Result {
         if ((a.when(2).fields & kMonthField) == 0) return std::nullopt;
         return days_of(a.integer(0), a.integer(1), a.when(2));
       }},
      {"<coarse> from|between|,? the? <eday> -|to|until|till|til|thru|through|and the? <eday>",
       [](const Args& a) -> Result {
         if ((a.when(0).fields & kMonthField) == 0 || (a.when(0).fields & kDayField) != 0) return std::nullopt;
         return days_of(a.integer(1), a.integer(2), a.when(0));
       }},
      {"from|between? the? <eday> -|to|until|till|til|thru|through|and <monthday>",
       [](const Args& a) { return up_to_day(a.integer(0), a.when(1)); }},
      {"from|between? the? <eday> -|to|until|till|til|thru|through|and <monthday> ,? <yyyy>",
       [](const Args& a) -> Result {
         const auto dated = combine(a.when(1), year_when(a.integer(2)));
         return dated ? up_to_day(a.integer(0), *dated) : Result();
       }},
      {"<stretch> ,|of? <yyyy>",
       [](const Args& a) -> Result {
         const When& old = a.when(0);
         const auto from = combine(*old.from, year_when(a.integer(1)));
         const auto to = combine(*old.to, year_when(a.integer(1)));
         if (!from || !to) return std::nullopt;
         return if_time(stretch(*from, *to));
       }},
      {"<yyyy> -|to <yyyy>", [](const Args& a) { return years(a.integer(0), a.integer(1)); }},
      {"from|between <yyyy> -|to|until|till|and|through <yyyy>",
       [](const Args& a) { return years(a.integer(0), a.integer(1)); }},
      {"<point> -|to|until|untill|till|til|thru|through <point>",
       [](const Args& a) -> Result {
         if ((a[0].latent && a[1].latent) || is_minutes_to(a) || counts_from_end(a)) return std::nullopt;
         return if_time(stretch(a.when(0), a.when(1)));
       }},
      {"from|between <point> -|to|until|untill|till|til|thru|through|and <point>",
       [](const Args& a) -> Result { return if_time(stretch(a.when(0), a.when(1))); }},
      {"between <any> and <any>", [](const Args& a) -> Result { return if_time(stretch(a.when(0), a.when(1))); }},
      {"on|over|during <stretch>",
       [](const Args& a) -> Result {
         const When& when = a.when(0);
         const bool days = when.from->date && when.to->date && !when.from->has_time() && !when.to->has_time();
         return days && !when.from->is_now && !when.length ? Result(time_node(when)) : Result();
       }},
      {"<timed> / <timed>",
       [](const Args& a) -> Result {
         if (!a.when(0).dated || !a.when(1).dated) return std::nullopt;
         return if_time(stretch(a.when(0), a.when(1)));
       }},
      {"<daydate> / <daydate>",
       [](const Args& a) -> Result {
         if (!a.when(0).dated || !a.when(1).dated) return std::nullopt;
         return if_time(stretch(a.when(0), a.when(1)));
       }},
      {"from week <int> to|through|until week <int>",
       [](const Args& a) -> Result {
         const When year = unit_when(a.setting, Grain::kYear, 0);
         const auto from = nth_unit(year, Grain::kWeek, a.integer(0)), to = nth_unit(year, Grain::kWeek, a.integer(1));
         if (!from || !to || a.number(0) >= a.number(1)) return std::nullopt;
         return if_time(stretch(*from, *to));
       }},
      {"<clock> -|to|until|till|til <clock>",
       [](const Args& a) -> Result {
         if (is_minutes_to(a)) return std::nullopt;
         return if_time(stretch(a.when(0), a.when(1)), a[0].latent && a[1].latent);
       }},
      {"later_than|after <clock> but before <clock>",
       [](const Args& a) -> Result { return if_time(stretch(a.when(0), a.when(1))); }},
      {"from|starting|starting_at|starting_on|starting_from|beginning|beginning_at|beginning_on? <point> for <amount>",
       [](const Args& a) -> Result {
         const When& begin = a.when(0);
         if (a[1].amount->items.size() > 1 && !begin.has_time()) return std::nullopt;
         When when;
         when.from = std::make_shared<const When>(begin);
         const Moment length = shift(0, *a[1].amount, 1);
         const auto& item = a[1].amount->items.front();
         when.length = begin.has_time() ? std::pair(Grain::kSecond, length)
                                        : std::pair(item.grain, static_cast<std::int64_t>(item.count));
         when.deictic = begin.deictic;
         when.dated = begin.dated;
         if (a[0].latent && begin.date) return std::nullopt;
         return time_node(std::move(when));
       }},
      {"<daydate> from|,? <stretch>", [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},
      {"<stretch> <zone>",
       [](const Args& a) -> Result {
         const When& old = a.when(0);
         if (!old.to->clock || !old.from->clock || old.from->zone_minutes) return std::nullopt;
         When from = *old.from, to = *old.to;
         from.zone_minutes = a.integer(1);
         to.zone_minutes = a.integer(1);
         return if_time(stretch(from, to));
       }},
      {"for? <amount> ,? starting|starting_from|starting_on|beginning <point>", last_for},
      {"for <amount> ,? from <point>", last_for},
      {"<amount> from <clock>", last_for},
      {"within the? next|coming|upcoming|following? <amount> from_today|from_now|after_today?",
       [](const Args& a) -> Result { return time_node(limited_to(a.setting, *a[0].amount)); }},

      {"before|until|till|til|prior_to|earlier_than|in_advance_of|ahead_of|no_later_than|ending_with|by|"
       "< <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch()) return std::nullopt;
         return time_node(open_to(a.when(0), false));
       }},
      {"before|until|till|til|prior_to|by|<|no_later_than|earlier_than <clock>",
       [](const Args& a) -> Result { return time_node(open_to(a.when(0), false), a[0].latent); }},
      {"before|until|till|prior_to|earlier_than|by|through|no_later_than|up_to <yyyy>",
       [](const Args& a) -> Result { return time_node(open_to(year_when(a.integer(0)), false)); }},
      {"before_or_on|on_or_before|on_or_earlier_than|earlier_than_or_on|no_later_than_or_on <time>",
       [](const Args& a) -> Result { return time_node(open_to(a.when(0), false)); }},
      {"after|later_than|> <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch()) return std::nullopt;
         return time_node(open_from(a.when(0), a.when(0).grain > Grain::kDay));
       }},
      {"after|since|>|later_than <clock>",
       [](const Args& a) -> Result { return time_node(open_from(a.when(0), false), a[0].latent); }},
      {"just|shortly|right|soon after <clock>",
       [](const Args& a) -> Result { return time_node(open_from(a.when(0), false)); }},
      {"just|shortly|right before <clock>",
       [](const Args& a) -> Result { return time_node(open_to(a.when(0), false)); }},
      {"before|until|till|by the <dayth>",
       [](const Args& a) -> Result {
         if (a[0].words) return std::nullopt;
         return time_node(open_to(day_of_month(a.integer(0)), false));
       }},
      {"after <yyyy>", [](const Args& a) -> Result { return time_node(open_from(year_when(a.integer(0)), true)); }},
      {"since|ever_since <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch()) return std::nullopt;
         When begin = a.when(0);
         begin.past = true;
         return time_node(open_from(begin, false));
       }},
      {"starting|starting_from|starting_on|as_of|on_or_after|on_or_later_than|later_than_or_on|later_than_or_in|"
       "no_earlier_than|beginning_from <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch()) return std::nullopt;
         return time_node(open_from(a.when(0), false));
       }},
      {"since|later_than|later_than_or_in <yyyy>",
       [](const Args& a) -> Result { return time_node(open_from(year_when(a.integer(0)), false)); }},
      {"asap|as_soon_as_possible", [](const Args&) -> Result { return time_node(open_from(now_when(), false)); }},
  };
}

Rules together() {
  return {
      {"<any> ,|on|of|in|the|,_on|starting? <any>",
       [](const Args& a) -> Result {
         // "tomorrow 5 people come" is no time of day, "9 tomorrow evening" is.
         const auto bare = [&](std::size_t i) { return a[i].latent && a.when(i).clock && !a.when(i).date; };
         if (bare(1) || (bare(0) && !a.when(1).part)) return std::nullopt;
         return if_time(combine(a.when(0), a.when(1)), a[0].latent && a[1].latent);
       }},
      {"<any> at|@|around|,_at|for_about|about <any>",
       [](const Args& a) -> Result { return if_time(combine(a.when(0), a.when(1)), a[0].latent && a[1].latent); }},
      {"<any> for <tclock>",
       [](const Args& a) -> Result { return if_time(combine(a.when(0), a.when(1)), a[0].latent); }},
      {"<clock> on|, <daydate>",
       [](const Args& a) -> Result { return if_time(combine(a.when(0), a.when(1)), a[1].latent); }},
      {"on <monthday>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"<weekday> from|of|in <coarse>", [](const Args& a) -> Result { return if_time(combine(a.when(0), a.when(1))); }},
      {"on|at|in|during|around|by_around|sometime|any_time|at_around <time>",
       [](const Args& a) -> Result {
         return a.when(0).is_stretch() || a.when(0).is_now ? Result() : Result(time_node(a.when(0)));
       }},
      {"the <time>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
  };
}

}  // namespace weft::timex::english
