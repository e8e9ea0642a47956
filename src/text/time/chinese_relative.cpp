// What counts from the moment of speaking: 昨天, 上周五, 三天前, 最近.
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "text/time/rules_parts.h"

namespace weft::timex::chinese {
namespace {

using Result = std::optional<Node>;

struct Name {
  std::string_view words;
  int number;
};

constexpr Name kDays[] = {{"今天|今日|呢日|今个|今儿|当日|当天|本日|今儿个", 0},
                          {"昨天|昨日|寻日|昨儿|昨儿个|琴日", -1},
                          {"前天|前日|前儿|前儿个", -2},
                          {"大前天|大前日", -3},
                          {"明天|明日|听日|明儿|明儿个|翌日|次日", 1},
                          {"后天|后日|后儿|后儿个", 2},
                          {"大后天|大后日", 3}};

constexpr Name kYears[] = {{"今年|本年|这一年|这年|本年度|今年度", 0},
                           {"去年|上年|旧年|上一年|去年度|上年度", -1},
                           {"前年", -2},
                           {"大前年", -3},
                           {"明年|下年|来年|出年|下一年|翌年", 1},
                           {"后年", 2},
                           {"大后年", 3}};

/// What stands before a unit and how far it points.
struct Pointer {
  std::string_view words;
  int count;
};
constexpr Pointer kPointers[] = {{"这|这个|呢个|呢|这一|这一个|本|今|今个|当|当前|这一整个", 0},
                                 {"上|上个|上一|上一个", -1},
                                 {"上上|上上个|上上一个", -2},
                                 {"上上上|上上上个", -3},
                                 {"下|下个|下一|下一个", 1},
                                 {"下下|下下个", 2},
                                 {"下下下|下下下个", 3}};

When weekend_of(const Setting& setting, int weeks) {
  const Moment monday = unit_at(setting.now, Grain::kWeek, weeks).from;
  When when =
      date_of(only({monday + 5 * kDaySeconds, monday + 7 * kDaySeconds, Grain::kDay}), Grain::kWeek, kAllFields);
  when.deictic = true;
  return when;
}

/// 上两小时 are those of the clock, 下一个小时 is the one from now.
When counted(const Args& a, int sign) {
  const int count = sign * a.integer(0);
  When when = a[0].number == 1 ? near_units(a.setting, a[1].grain, count) : units_when(a.setting, a[1].grain, count);
  when.counting.reset();  // 下一周 and 上两个月 are those of the calendar
  return when;
}

/// 上半年, said in its second half, is that of the running year.
When half_year(const Setting& setting, int month) {
  When when = date_of(yearly([=](std::int64_t year) -> std::optional<Interval> {
                        return unit_at(midnight(year, month, 1), Grain::kHalf);
                      }),
                      Grain::kHalf, kQuarterField);
  if (month < civil(setting.now).month - 5) when.past = true;
  return when;
}

using Result = std::optional<Node>;

Result that_day(Moment day, bool dated = false) {
  When when = date_of(only(unit_at(day, Grain::kDay)), Grain::kDay, kAllFields);
  when.deictic = !dated;
  return time_node(std::move(when));
}

/// 去年的今天: the same place in another year, month or week.
Result same_place(const Args& a, const When& unit) {
  const auto begin = begin_of(unit, a.setting);
  if (!begin || !unit.deictic) return std::nullopt;
  const Civil now = civil(a.setting.now);
  const std::int64_t year = civil(*begin).year;
  switch (unit.grain) {
    case Grain::kYear:
      return is_day(year, now.month, now.day) ? that_day(midnight(year, now.month, now.day)) : Result();
    case Grain::kMonth: {
      const int month = civil(*begin).month;
      return is_day(year, month, now.day) ? that_day(midnight(year, month, now.day)) : Result();
    }
    case Grain::kWeek:
      return that_day(*begin + floor_to(a.setting.now, Grain::kDay) - floor_to(a.setting.now, Grain::kWeek));
    default: return std::nullopt;
  }
}

/// 2月10日那一周: the week that a day is in.
Result week_of(const When& day) {
  When when = day;
  when.grain = Grain::kWeek;
  when.fields = kAllFields;
  when.date =
      mapped(day.date, [](const Interval& one) -> std::optional<Interval> { return unit_at(one.from, Grain::kWeek); });
  return time_node(std::move(when));
}

/// 元旦前一天: like the day beside it, one in each year.
Result day_beside(const When& day, int sign) {
  When when = day;
  when.grain = Grain::kDay;
  when.date = mapped(day.date, [=](const Interval& one) -> std::optional<Interval> {
    return unit_at(sign < 0 ? one.from - kDaySeconds : one.to, Grain::kDay);
  });
  return time_node(std::move(when));
}

/// 春节前三天: as many days, weeks or months up to it or behind it.
Result days_beside(const Args& a, const When& feast, int sign) {
  const Amount& amount = *a[1].amount;
  if (amount.items.back().grain < Grain::kDay) return std::nullopt;
  if (amount.items.size() == 1 && amount.items.front().grain == Grain::kDay && amount.items.front().count == 1)
    return day_beside(feast, sign);
  When when = feast;
  when.grain = Grain::kWeek;
  when.date = mapped(feast.date, [amount, sign](const Interval& one) -> std::optional<Interval> {
    if (sign < 0) return Interval{shift(one.from, amount, -1), one.from, Grain::kDay};
    return Interval{one.to, shift(one.to, amount, 1), Grain::kDay};
  });
  return time_node(std::move(when));
}

/// 三周后的周二: that weekday of the week in which an amount ends.
Result weekday_there(const Args& a, int sign) {
  const auto named = a.when(1).date->next(a.setting.now);
  const auto& items = a[0].amount->items;
  if (!named || items.size() != 1 || items.front().grain < Grain::kWeek) return std::nullopt;
  const Moment week = floor_to(shift(a.setting.now, *a[0].amount, sign), Grain::kWeek);
  return that_day(week + (weekday(named->from) - 1) * kDaySeconds);
}

/// 两个月后的1号, 两年后的五月: that day or month of the month or year in which an amount ends.
Result part_there(const Args& a, int sign) {
  const auto& items = a[0].amount->items;
  const When& part = a.when(1);
  const bool day = part.fields == kDayField, month = part.fields == kMonthField;
  if (items.size() != 1 || part.is_stretch() || !part.date) return std::nullopt;
  const Grain whole = day ? Grain::kMonth : Grain::kYear;
  if (!(day || month || part.fields == (kMonthField | kDayField)) || items.front().grain != whole) return std::nullopt;
  const Interval there = unit_at(shift(a.setting.now, *a[0].amount, sign), whole);
  const auto named = part.date->next(there.from);
  if (!named || named->from >= there.to) return std::nullopt;
  When when = date_of(only(*named), part.grain, kAllFields);
  when.deictic = true;
  return time_node(std::move(when));
}

/// 年内: from now to the end of the running unit.
Result rest_of(const Setting& setting, Grain grain) {
  const Interval unit = unit_at(setting.now, grain);
  When when = date_of(only({floor_to(setting.now, Grain::kDay), unit.to, Grain::kDay}), Grain::kWeek, kAllFields);
  when.deictic = true;
  return time_node(std::move(when));
}

/// 从今天起三天
Result from_on(const Args& a) {
  if (a.when(0).is_now) return std::nullopt;
  const auto& item = a[1].amount->items.front();
  When when;
  when.from = std::make_shared<const When>(a.when(0));
  when.length = a.when(0).has_time() ? std::pair(Grain::kSecond, shift(0, *a[1].amount, 1))
                                     : std::pair(item.grain, static_cast<std::int64_t>(item.count));
  when.deictic = a.when(0).deictic;
  when.dated = a.when(0).dated;
  return time_node(std::move(when));
}

using Result = std::optional<Node>;

/// 07年 and 98年 are years, 20年 is a length.
bool is_short_year(const Node& n) {
  return !n.words && n.digits == 2 && !n.ordinal && (n.number < 10 || n.number >= 60);
}

/// 三百, not 二零零八.
bool is_counted(const Node& n) { return n.words && n.digits != 3 && n.digits != 4; }

Node chinese_unit(Grain grain) {
  Node node = unit_node(grain);
  node.chinese = true;
  return node;
}

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

Rules pointers() {
  Rules rules;
  for (const Pointer& pointer : kPointers) {
    const std::string words(pointer.words);
    const int count = pointer.count;
    const auto unit = [&](std::string_view names, Grain grain) {
      rules.push_back({words + " " + std::string(names),
                       [=](const Args& a) -> Result { return time_node(unit_when(a.setting, grain, count)); }});
    };
    unit("周|星期|礼拜", Grain::kWeek);
    unit("月|个月|月份", Grain::kMonth);
    unit("季度|季", Grain::kQuarter);
    unit("世纪", Grain::kCentury);
    if (count != 0) unit("年度", Grain::kYear);
    rules.push_back({words + " <weekday>", [=](const Args& a) -> Result {
                       const auto day = a.when(0).date->next(a.setting.now);
                       return time_node(weekday_of_week(a.setting, weekday(day->from), count));
                     }});
    rules.push_back({words + " 周末|星期末|礼拜末",
                     [=](const Args& a) -> Result { return time_node(weekend_of(a.setting, count)); }});
    if (count == 0) continue;
    if (std::abs(count) == 1) {
      rules.push_back({words + " 小时|钟头", [=](const Args& a) -> Result {
                         return time_node(rolling_when(a.setting, Grain::kHour, count));
                       }});
      rules.push_back({words + " 分钟", [=](const Args& a) -> Result {
                         return time_node(rolling_when(a.setting, Grain::kMinute, count));
                       }});
    }
  }
  for (const Name& day : kDays) {
    const int count = day.number;
    rules.push_back({std::string(day.words),
                     [=](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kDay, count)); }});
  }
  for (const Name& year : kYears) {
    const int count = year.number;
    rules.push_back({std::string(year.words),
                     [=](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kYear, count)); }});
  }
  append(rules,
         {
             {"周末", [](const Args& a) -> Result { return time_node(weekend_of(a.setting, 0)); }},
             {"出个月|出月", [](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kMonth, 1)); }},
             {"来紧|嚟紧|来紧嘅|嚟紧嘅|即将到来的 <weekday>",
              [](const Args& a) -> Result {
                When coming = a.when(0);
                coming.deictic = true;
                coming.past = false;
                return time_node(std::move(coming));
              }},
             {"过去|最近|近|过去的|这 <int> <zunit>",
              [](const Args& a) -> Result { return time_node(rolling_when(a.setting, a[1].grain, -a.integer(0))); }},
             {"未来|接下来|今后 半 小时|个小时|钟头|个钟头|个钟",
              [](const Args& a) -> Result { return time_node(rolling_when(a.setting, Grain::kMinute, 30)); }},
             {"过去|最近|近|刚过去的|过去的 半 小时|个小时|钟头|个钟头|个钟",
              [](const Args& a) -> Result { return time_node(rolling_when(a.setting, Grain::kMinute, -30)); }},
             {"之前 <int> <zunit>",
              [](const Args& a) -> Result {
                if (a.number(0) > 100) return std::nullopt;
                return time_node(near_units(a.setting, a[1].grain, -a.integer(0)));
              }},
             {"上|前 <int> <zunit>",
              [](const Args& a) -> Result {
                if (a.number(0) > 100) return std::nullopt;
                return time_node(counted(a, -1));
              }},
             {"上|前|近 <int> 月",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kMonth, -a.integer(0))); }},
             {"上|前|过去|近 <int> 日",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kDay, -a.integer(0))); }},
             {"未来|接下来|今后|之后|未来的|接下来的|往后|来紧|嚟紧|来紧嘅|嚟紧嘅 <int> <zunit>",
              [](const Args& a) -> Result {
                if (a.number(0) > 100) return std::nullopt;
                return time_node(near_units(a.setting, a[1].grain, a.integer(0)));
              }},
             {"下|后 <int> <zunit>",
              [](const Args& a) -> Result {
                if (a.number(0) > 100) return std::nullopt;
                return time_node(counted(a, 1));
              }},
             {"下|后 <int> 月",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kMonth, a.integer(0))); }},
             {"未来|接下来|后|来紧|嚟紧 <int> 日",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kDay, a.integer(0))); }},
             {"前|过去|最近|近|这 几 <zunit>",
              [](const Args& a) -> Result { return time_node(near_units(a.setting, a[0].grain, -3)); }},
             {"前|过去|最近|近|这 <int> 分 钟?",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kMinute, -a.integer(0))); }},
             {"后|未来|接下来|这|过 几 <zunit>",
              [](const Args& a) -> Result { return time_node(near_units(a.setting, a[0].grain, 3)); }},
             {"前 一阵子|段时间|些天|些日子|阵子",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kMonth, -1)); }},
             {"<amount> 前|之前|以前",
              [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, -1)); }},
             {"<amount> 后|之后|以后|过后",
              [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, 1)); }},
             {"过|再过 几|数 日",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kDay, 3)); }},
             {"<int> 日 内|之内|以内",
              [](const Args& a) -> Result {
                return time_node(limited_to(a.setting, *amount_node(a.number(0), Grain::kDay).amount));
              }},
             {"<int> 日 前|之前|以前",
              [](const Args& a) -> Result {
                return time_node(shifted(a.setting.now, *amount_node(a.number(0), Grain::kDay).amount, -1));
              }},
             {"<int> 日 后|之后|以后",
              [](const Args& a) -> Result {
                return time_node(shifted(a.setting.now, *amount_node(a.number(0), Grain::kDay).amount, 1));
              }},
             {"再|再过|过 <amount>",
              [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, 1)); }},
             {"再过 <amount> 后",
              [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, 1)); }},
             {"未来|今后? <amount> 内|以内|之内",
              [](const Args& a) -> Result { return time_node(limited_to(a.setting, *a[0].amount)); }},
             {"现在|此刻|此时|目前|当前|而家|依家|即刻|当下|眼下|立刻|马上|现时|此时此刻",
              [](const Args&) -> Result { return time_node(now_when()); }},
             {"刚才|刚刚|方才|适才|头先",
              [](const Args& a) -> Result {
         // The past quarter of an hour or the whole: nobody says it of more than an hour.
                When when = date_of(only({a.setting.now - kHourSeconds, a.setting.now, Grain::kMinute}), Grain::kWeek,
                                    kAllFields);
                when.deictic = true;
                return time_node(std::move(when));
              }},
             {"最近|近来|近期|近日|近排|呢排|这阵子|这段时间|这些天|这些日子|这几天",
              [](const Args& a) -> Result {
                const Moment next = floor_to(a.setting.now, Grain::kDay) + kDaySeconds;
                When when = date_of(only({next - 30 * kDaySeconds, next, Grain::kDay}), Grain::kWeek, kAllFields);
                when.deictic = true;
                return time_node(std::move(when));
              }},
             {"上半年|前半年", [](const Args& a) -> Result { return time_node(half_year(a.setting, 1)); }},
             {"下半年|后半年", [](const Args& a) -> Result { return time_node(half_year(a.setting, 7)); }},
         });
  return rules;
}

Rules counted() {
  return {
      {"<coarse> 的? 今天|今日|这一天|这天", [](const Args& a) { return same_place(a, a.when(0)); }},
      {"<coarse> 的? 这时候|这个时候|此时|这会儿", [](const Args& a) { return same_place(a, a.when(0)); }},
      {"<amount> 前|之前|以前 的? 今天|今日",
       [](const Args& a) -> Result { return that_day(shift(a.setting.now, *a[0].amount, -1)); }},
      {"<amount> 后|之后|以后 的? 今天|今日",
       [](const Args& a) -> Result { return that_day(shift(a.setting.now, *a[0].amount, 1)); }},
      {"<amount> 后|之后|以后 的? <weekday>", [](const Args& a) { return weekday_there(a, 1); }},
      {"<amount> 后|之后|以后 的? <daydate>", [](const Args& a) { return part_there(a, 1); }},
      {"<amount> 后|之后|以后 的? <month>", [](const Args& a) { return part_there(a, 1); }},
      {"<amount> 前|之前|以前 的? <daydate>", [](const Args& a) { return part_there(a, -1); }},
      {"<amount> 前|之前|以前 的? <month>", [](const Args& a) { return part_there(a, -1); }},
      {"再过|过 <amount> 的 <weekday>", [](const Args& a) { return weekday_there(a, 1); }},
      {"<amount> 前|之前|以前 的? <weekday>", [](const Args& a) { return weekday_there(a, -1); }},
      {"从|自 <point> 起|开始 的? <amount>", from_on},
      {"<daydate> 那|当|所在 的? 一? 个? 周|星期|礼拜", [](const Args& a) { return week_of(a.when(0)); }},
      {"<daydate> 前 一 天|日|夜|晚", [](const Args& a) { return day_beside(a.when(0), -1); }},
      {"<daydate> 前天|前夕|前夜|前一天|前一日", [](const Args& a) { return day_beside(a.when(0), -1); }},
      {"<daydate> 后 一 天|日", [](const Args& a) { return day_beside(a.when(0), 1); }},
      {"<daydate> 次日|翌日|第二天|后一天|后一日", [](const Args& a) { return day_beside(a.when(0), 1); }},
      {"<holiday> 的? 前|前面 <amount>", [](const Args& a) { return days_beside(a, a.when(0), -1); }},
      {"<holiday> 的? 后|后面 <amount>", [](const Args& a) { return days_beside(a, a.when(0), 1); }},
      {"<point> 的? 这时候|这个时候|这个时间|此时|这会儿",
       [](const Args& a) -> Result {
         const auto begin = begin_of(a.when(0), a.setting);
         if (!begin || !a.when(0).deictic || a.when(0).grain != Grain::kDay || a.when(0).has_time())
           return std::nullopt;
         When when = date_of(only({*begin + a.setting.now - floor_to(a.setting.now, Grain::kDay),
                                   *begin + a.setting.now - floor_to(a.setting.now, Grain::kDay) + 1, Grain::kSecond}),
                             Grain::kSecond, kAllFields);
         when.deictic = true;
         return time_node(std::move(when));
       }},
      {"<holiday> 期间|假期|长假|小长假|黄金周|当天|当日|那天|前后",
       [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"年内|今年内|今年之内|年底前", [](const Args& a) { return rest_of(a.setting, Grain::kYear); }},
      {"月内|本月内|这个月内|当月内", [](const Args& a) { return rest_of(a.setting, Grain::kMonth); }},
      {"周内|本周内|这周内|这个星期内", [](const Args& a) { return rest_of(a.setting, Grain::kWeek); }},
      {"周初", [](const Args& a) { return if_time(third_of(unit_when(a.setting, Grain::kWeek, 0), 0)); }},
      {"周中", [](const Args& a) { return if_time(third_of(unit_when(a.setting, Grain::kWeek, 0), 1)); }},
      {"上半月|前半月", [](const Args& a) { return if_time(half_of(unit_when(a.setting, Grain::kMonth, 0), false)); }},
      {"下半月|后半月", [](const Args& a) { return if_time(half_of(unit_when(a.setting, Grain::kMonth, 0), true)); }},
      {"<coarse> 的? 上半月|前半月", [](const Args& a) { return if_time(half_of(a.when(0), false)); }},
      {"<coarse> 的? 下半月|后半月", [](const Args& a) { return if_time(half_of(a.when(0), true)); }},
  };
}

Rules amounts() {
  return {
      constant("秒|秒钟", chinese_unit(Grain::kSecond)),
      constant("分钟", chinese_unit(Grain::kMinute)),
      constant("小时|个小时|钟头|个钟头|个钟|粒钟", chinese_unit(Grain::kHour)),
      constant("天", chinese_unit(Grain::kDay)),
      constant("周|星期|礼拜|个星期|个礼拜", chinese_unit(Grain::kWeek)),
      constant("个月|个月份", chinese_unit(Grain::kMonth)),
      constant("个季度", chinese_unit(Grain::kQuarter)),
      constant("年", chinese_unit(Grain::kYear)),
      constant("世纪|个世纪", chinese_unit(Grain::kCentury)),
      {"<number> <zunit>",
       [](const Args& a) -> Result {
         if (a[1].grain == Grain::kYear && ((a[0].number >= 300 && !is_counted(a[0])) || is_short_year(a[0])))
           return std::nullopt;
         if (a[0].number > 4e6 || a[0].number == 0) return std::nullopt;
         if (a[0].words && a[0].digits == 2) return std::nullopt;  // 两三天 is two or three
         if (a[1].grain == Grain::kCentury && a[0].words && a[0].number > 5) return std::nullopt;
         return amount_node(a.number(0), a[1].grain);
       }},
      {"<number> 个? 工作日",
       [](const Args& a) -> Result {
         if (a[0].number < 1 || a[0].number > 1000) return std::nullopt;
         Node node = amount_node(a.number(0), Grain::kDay);
         Amount amount = *node.amount;
         amount.business = true;
         node.amount = std::make_shared<const Amount>(std::move(amount));
         return node;
       }},
      {"<number> 日 零|又? <int> 时|小时|个小时",
       [](const Args& a) {
         return joined(amount_node(a.number(0), Grain::kDay), amount_node(a.number(1), Grain::kHour));
       }},
      {"<number> 天 零|又? <int> 时",
       [](const Args& a) {
         return joined(amount_node(a.number(0), Grain::kDay), amount_node(a.number(1), Grain::kHour));
       }},
      {"<amount> <int> 分 钟?", [](const Args& a) { return joined(a[0], amount_node(a.number(1), Grain::kMinute)); }},
      {"<int> 分 钟? <int> 秒",
       [](const Args& a) {
         return joined(amount_node(a.number(0), Grain::kMinute), amount_node(a.number(1), Grain::kSecond));
       }},
      {"<int> 刻钟", [](const Args& a) -> Result { return amount_node(15 * a.number(0), Grain::kMinute); }},
      {"<int> 分之 <int> 个? <zunit>",
       [](const Args& a) -> Result {
         if (a[0].number < 2 || a[0].number > 12 || a[1].number < 1 || a[1].number >= a[0].number) return std::nullopt;
         return amount_node(a.number(1) / a.number(0), a[2].grain);
       }},
      {"半 <zunit>", [](const Args& a) -> Result { return amount_node(0.5, a[0].grain); }},
      {"大半|小半 <zunit>", [](const Args& a) -> Result { return amount_node(0.5, a[0].grain); }},
      {"<number> 个半 小时|钟头|钟",
       [](const Args& a) -> Result { return amount_node(a.number(0) + 0.5, Grain::kHour); }},
      {"<number> 个半 月", [](const Args& a) -> Result { return amount_node(a.number(0) + 0.5, Grain::kMonth); }},
      {"<number> 个半 星期|礼拜", [](const Args& a) -> Result { return amount_node(a.number(0) + 0.5, Grain::kWeek); }},
      {"<amount> 半", [](const Args& a) { return plus_half(a[0]); }},
      {"个半 小时|钟头|钟", [](const Args&) -> Result { return amount_node(1.5, Grain::kHour); }},
      {"<int> 日",
       [](const Args& a) -> Result {
         // Up to 31 it is a day of the month.
         return a.number(0) > 31 && a.number(0) < 10000 ? Result(amount_node(a.number(0), Grain::kDay)) : Result();
       }},
      {"几|数|好几 日", [](const Args&) -> Result { return amount_node(3, Grain::kDay); }},
      {"几|数|好几|若干 <zunit>", [](const Args& a) -> Result { return amount_node(3, a[0].grain); }},
      {"<int> 多|来 <zunit>", [](const Args& a) -> Result { return amount_node(a.number(0), a[1].grain); }},
      {"<amount> 又|零|加|,|和|多|左右|上下|钟",
       [](const Args& a) -> Result {
         Node node = a[0];
         node.latent = true;
         return node;
       }},
      {"<amount> 又|零|加|和? <amount>", [](const Args& a) { return joined(a[0], a[1]); }},
      {"一个月 又? <amount>", [](const Args& a) { return joined(amount_node(1, Grain::kMonth), a[0]); }},
      {"<amount> 又 <amount>",
       [](const Args& a) -> Result {
         // The units may stand the wrong way round: 两天又一个月.
         return joined(a[1], a[0]);
       }},
      {"整|一整|全 天", [](const Args&) -> Result { return amount_node(1, Grain::kDay); }},
      {"约|大约|大概|差不多|将近|近 <amount>", [](const Args& a) -> Result { return a[0]; }},
      {"超过|不到|至少|最多 <amount>", [](const Args& a) { return limit(a[0]); }},
  };
}

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
