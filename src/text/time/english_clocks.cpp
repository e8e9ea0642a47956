// Clock times and zones.
#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

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

}  // namespace

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

}  // namespace weft::timex::english
