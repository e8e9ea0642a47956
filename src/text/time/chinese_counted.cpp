// Days that are counted from other days, and parts of units without a name of the unit: 去年的今天, 三周后的周二,
// 上半月.
#include "text/time/rules_parts.h"

namespace weft::timex::chinese {
namespace {

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

}  // namespace

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

}  // namespace weft::timex::chinese
