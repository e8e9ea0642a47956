// Parts of the day and clock times: 下午三点半, 今晚.
#include <string_view>

#include "text/time/rules_parts.h"

namespace weft::timex::chinese {
namespace {

using Result = std::optional<Node>;

constexpr int kQuarter = 15;  // minutes

// 差五分三点: a clock time less some minutes.
When minutes_before(When when, int minutes) {
  constexpr int kDay = 24 * 60;
  Clock& clock = *when.clock;
  const int total = (clock.hour * 60 + clock.minute + kDay - minutes) % kDay;
  clock.hour = total / 60;
  clock.minute = total % 60;
  clock.grain = Grain::kMinute;
  return when;
}

// 晚上, 今晚: two in it is after midnight.
When evening() {
  When when = part_when(PartName::kEvening, 18, 24);
  when.part->into_night = true;
  return when;
}

// 昨晚凌晨三点, 昨晚半夜两点: an hour before 5 of the night that is over, or of the running one.
std::optional<When> small_hours_last_night(When clock, const Setting& setting) {
  constexpr int kMorning = 5;  // o'clock
  clock.clock->hour %= 24;
  if (clock.clock->ambiguous || clock.clock->hour >= kMorning) return std::nullopt;
  const Moment since_midnight = setting.now - floor_to(setting.now, Grain::kDay);
  const bool over = since_midnight >= clock.clock->hour * kHourSeconds;
  clock.part = part_when(PartName::kMorning, 0, 6).part;
  return combine(clock, unit_when(setting, Grain::kDay, over ? 0 : -1));
}

struct PartWords {
  std::string_view words;
  PartName name;
  int from, to;
};

constexpr PartWords kParts[] = {
    {"早上|早晨|清晨|早间|清早|一早|一大早|大清早|大早上|朝早|晨间|早", PartName::kMorning, 4, 12},
    {"上午|午前|上昼", PartName::kMorning, 8, 12},
    {"凌晨|拂晓|黎明", PartName::kMorning, 0, 6},
    {"中午|正午|午间|晌午|晏昼正", PartName::kNoon, 12, 14},
    {"下午|午后|后晌|晏昼|下昼", PartName::kAfternoon, 12, 18},
    {"傍晚|黄昏|傍黑", PartName::kEvening, 17, 19},
    {"夜里|夜间", PartName::kNight, 18, 24},
    {"深夜|半夜|午夜|大半夜|三更半夜", PartName::kNight, 22, 28},
    {"午饭后|午餐后|午饭之后", PartName::kAfternoon, 13, 17},
    {"放学后", PartName::kAfternoon, 15, 21},
    {"下班后|下班以后|收工后", PartName::kEvening, 17, 21},
    {"白天|日间", PartName::kOther, 8, 18},
};

Result hour_node(double hour, int minute, Grain grain, bool latent) {
  if (hour > 24 || (hour == 24 && minute > 0)) return std::nullopt;
  return time_node(clock_when(static_cast<int>(hour), minute, 0, grain, true), latent);
}

}  // namespace

Rules clocks() {
  Rules rules;
  for (const PartWords& part : kParts) {
    rules.push_back(constant(part.words, time_node(part_when(part.name, part.from, part.to))));
  }
  rules.push_back(constant("晚上|晚间|夜晚|当晚|晚|夜晚黑|晚黑|夜", time_node(evening())));
  append(rules,
         {
             {"<hour> 点|点钟|点整|时整|时正|点正|点踏正|点搭正|时许",
              [](const Args& a) { return hour_node(a.number(0), 0, Grain::kHour, false); }},
             {"<hour> 时", [](const Args& a) { return hour_node(a.number(0), 0, Grain::kHour, a.number(0) < 13); }},
             {"<hour> 点|点钟|时 <minute> 分",
              [](const Args& a) { return hour_node(a.number(0), a.integer(1), Grain::kMinute, false); }},
             {"<hour> 点|点钟|时 <minute>",
              [](const Args& a) {
                // 三点一 counts by fives, as Cantonese does: the long hand is at one.
                const bool by_five = a[1].words && a.number(1) >= 1 && a.number(1) < 10 && a[1].end - a[1].begin == 1;
                return hour_node(a.number(0), (by_five ? 5 : 1) * a.integer(1), Grain::kMinute, false);
              }},
             {"<hour> 点|时 零|过 <minute> 分?",
              [](const Args& a) { return hour_node(a.number(0), a.integer(1), Grain::kMinute, false); }},
             {"<hour> 点|时|点钟|点搭 半",
              [](const Args& a) { return hour_node(a.number(0), 30, Grain::kMinute, false); }},
             {"<hour> 点|时|点过 <int> 刻",
              [](const Args& a) -> Result {
                if (a.number(1) > 3 || a.number(1) < 1) return std::nullopt;
                return hour_node(a.number(0), 15 * a.integer(1), Grain::kMinute, false);
              }},
             {"<hour> 点 <int> 个字",
              [](const Args& a) -> Result {
                if (a.number(1) > 11 || a.number(1) < 1) return std::nullopt;
                return hour_node(a.number(0), 5 * a.integer(1), Grain::kMinute, false);
              }},
             {"<hour> 点 搭|踏 <int>",
              [](const Args& a) -> Result {
                if (a.number(1) > 11 || a.number(1) < 1) return std::nullopt;
                return hour_node(a.number(0), 5 * a.integer(1), Grain::kMinute, false);
              }},
             {"<hour> 点|时 <minute> 分 <minute> 秒",
              [](const Args& a) -> Result {
                if (a.number(0) > 23) return std::nullopt;
                return time_node(clock_when(a.integer(0), a.integer(1), a.integer(2), Grain::kSecond, true));
              }},
             {"差 <minute> 分 钟? <clock>",
              [](const Args& a) -> Result { return time_node(minutes_before(a.when(1), a.integer(0))); }},
             {"差 <int> 刻 钟? <clock>",
              [](const Args& a) -> Result {
                if (a.number(0) != 1) return std::nullopt;
                return time_node(minutes_before(a.when(1), kQuarter));
              }},
             {"<clock> 差 <minute> 分",
              [](const Args& a) -> Result { return time_node(minutes_before(a.when(0), a.integer(1))); }},
             {"<clock> 差 <int> 刻",
              [](const Args& a) -> Result {
                if (a.number(1) != 1) return std::nullopt;
                return time_node(minutes_before(a.when(0), kQuarter));
              }},
             {"零时|零点", [](const Args&) -> Result { return time_node(clock_when(0, 0, 0, Grain::kHour, false)); }},
             {"大约|大概|约|差不多 <time>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
             {"<timed> 左右|前后|上下|钟|整|许|多", [](const Args& a) -> Result { return time_node(a.when(0)); }},
             {"<part> 的? <clock>", [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},
         });
  const auto short_day = [](int days, const When& part) {
    return [=](const Args& a) { return if_time(combine(unit_when(a.setting, Grain::kDay, days), part)); };
  };
  const When morning = part_when(PartName::kMorning, 4, 12);
  append(rules, {
                    {"今晚|今夜|今天夜里|今天晚上 的? <part> 的? <clock>",
                     [](const Args& a) {
                       const auto both = combine(a.when(0), a.when(1));
                       return both ? if_time(small_hours_tonight(*both, a.setting)) : Result();
                     }},
                    {"今晚|今夜|今天夜里|今天晚上 的? <clock>",
                     [](const Args& a) {
                       auto both = combine(evening(), a.when(0));
                       if (!both || both->clock->hour <= 24) return Result();
                       both->clock->hour -= 24;
                       both->part = part_when(PartName::kMorning, 0, 6).part;
                       return if_time(small_hours_tonight(*both, a.setting));
                     }},
                    {"昨晚|昨夜|昨天夜里|昨天晚上 的? <part> 的? <clock>",
                     [](const Args& a) {
                       const auto both = combine(a.when(0), a.when(1));
                       return both ? if_time(small_hours_last_night(*both, a.setting)) : Result();
                     }},
                    {"今晚|今夜|当晚|今晚上|今晚夜|今晚黑", short_day(0, evening())},
                    {"昨晚|昨夜|寻晚|琴晚|昨晚上|寻晚夜|寻晚黑", short_day(-1, evening())},
                    {"前晚", short_day(-2, evening())},
                    {"明晚|听晚|明晚上|听晚夜|听晚黑", short_day(1, evening())},
                    {"今早|今晨|今朝|今早上|今朝早", short_day(0, morning)},
                    {"明早|明晨|听朝|明早上|听朝早", short_day(1, morning)},
                    {"昨早|昨晨|寻朝|寻朝早", short_day(-1, morning)},
                    {"后晚", short_day(2, evening())},
                });
  return rules;
}

}  // namespace weft::timex::chinese
