// Chinese. Words stand in simplified characters, the lexer folds the traditional ones; some are Cantonese.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "text/time/rules.h"

namespace weft::timex {
namespace {

using Result = std::optional<Node>;
using Rules = std::vector<Rule>;

void append(Rules& rules, Rules more) {
  rules.insert(rules.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Result unless(bool condition, Node node) {
  if (condition) return std::nullopt;
  return node;
}

Result joined(const Node& a, const Node& b) {
  if (a.amount->items.back().grain <= b.amount->items.front().grain) return std::nullopt;
  Amount both = *a.amount;
  both.items.insert(both.items.end(), b.amount->items.begin(), b.amount->items.end());
  Node node = a;
  node.amount = std::make_shared<const Amount>(std::move(both));
  return node;
}

Node chinese_unit(Grain grain) {
  Node node = unit_node(grain);
  node.chinese = true;
  return node;
}

Result plus_half(const Node& a) {
  Amount amount = *a.amount;
  amount.items.back().count += 0.5;
  Node node = a;
  node.amount = std::make_shared<const Amount>(std::move(amount));
  return node;
}

/// 07年 and 98年 are years, 20年 is a length.
bool is_short_year(const Node& n) {
  return !n.words && n.digits == 2 && !n.ordinal && (n.number < 10 || n.number >= 60);
}
std::int64_t long_year(double year) { return static_cast<std::int64_t>(year) + (year < 60 ? 2000 : 1900); }

Rules amounts() {
  return {
      constant("秒|秒钟", chinese_unit(Grain::kSecond)),
      constant("分钟", chinese_unit(Grain::kMinute)),
      constant("小时|个小时|钟头|个钟头|个钟|粒钟|个半钟", chinese_unit(Grain::kHour)),
      constant("天", chinese_unit(Grain::kDay)),
      constant("周|星期|礼拜|个星期|个礼拜", chinese_unit(Grain::kWeek)),
      constant("个月|个月份", chinese_unit(Grain::kMonth)),
      constant("季度|个季度|季", chinese_unit(Grain::kQuarter)),
      constant("年", chinese_unit(Grain::kYear)),
      constant("世纪|个世纪", chinese_unit(Grain::kCentury)),
      {"<number> <zunit>",
       [](const Args& a) -> Result {
         if (a[1].grain == Grain::kYear && (a[0].number >= 300 || is_short_year(a[0]))) return std::nullopt;
         if (a[0].number > 4e6 || a[0].number == 0) return std::nullopt;
         if (a[1].grain == Grain::kCentury && a[0].words && a[0].number > 5) return std::nullopt;
         return amount_node(a.number(0), a[1].grain);
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
      {"半 <zunit>", [](const Args& a) -> Result { return amount_node(0.5, a[0].grain); }},
      {"大半|小半 <zunit>", [](const Args& a) -> Result { return amount_node(0.5, a[0].grain); }},
      {"<number> 个半 小时|钟头|钟",
       [](const Args& a) -> Result { return amount_node(a.number(0) + 0.5, Grain::kHour); }},
      {"<number> 个半 月", [](const Args& a) -> Result { return amount_node(a.number(0) + 0.5, Grain::kMonth); }},
      {"<number> 个半 星期|礼拜", [](const Args& a) -> Result { return amount_node(a.number(0) + 0.5, Grain::kWeek); }},
      {"<amount> 半", [](const Args& a) { return plus_half(a[0]); }},
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
      {"约|大约|大概|差不多|将近|近|超过|不到|至少|最多 <amount>", [](const Args& a) -> Result { return a[0]; }},
  };
}

struct Name {
  std::string_view words;
  int number;
};

constexpr Name kWeekdays[] = {{"星期一|周一|礼拜一", 1},
                              {"星期二|周二|礼拜二", 2},
                              {"星期三|周三|礼拜三", 3},
                              {"星期四|周四|礼拜四", 4},
                              {"星期五|周五|礼拜五", 5},
                              {"星期六|周六|礼拜六", 6},
                              {"星期日|周日|礼拜日|星期天|周天|礼拜天", 7}};

constexpr Name kDays[] = {{"今天|今日|今个|今儿|当日|当天|本日|今儿个", 0},
                          {"昨天|昨日|寻日|昨儿|琴日", -1},
                          {"前天|前日|前儿", -2},
                          {"大前天|大前日", -3},
                          {"明天|明日|听日|明儿|翌日|次日", 1},
                          {"后天|后日", 2},
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
constexpr Pointer kPointers[] = {{"这|这个|这一|这一个|本|今|今个|当|当前|这一整个", 0},
                                 {"上|上个|上一|上一个", -1},
                                 {"上上|上上个|上上一个", -2},
                                 {"上上上|上上上个", -3},
                                 {"下|下个|下一|下一个", 1},
                                 {"下下|下下个", 2},
                                 {"下下下|下下下个", 3}};

constexpr Name kSeasons[] = {{"春天|春季", 0}, {"夏天|夏季", 1}, {"秋天|秋季", 2}, {"冬天|冬季", 3}};

/// Patterns that are put together at start; rules hold views of them.
std::string_view keep(std::string pattern) {
  static std::vector<std::unique_ptr<std::string>> kept;
  kept.push_back(std::make_unique<std::string>(std::move(pattern)));
  return *kept.back();
}

When weekend_of(const Setting& setting, int weeks) {
  const Moment monday = unit_at(setting.now, Grain::kWeek, weeks).from;
  When when =
      date_of(only({monday + 5 * kDaySeconds, monday + 7 * kDaySeconds, Grain::kDay}), Grain::kWeek, kAllFields);
  when.deictic = true;
  return when;
}

Rules pointers() {
  Rules rules;
  for (const Pointer& pointer : kPointers) {
    const std::string words(pointer.words);
    const int count = pointer.count;
    const auto unit = [&](std::string_view names, Grain grain) {
      rules.push_back({keep(words + " " + std::string(names)),
                       [=](const Args& a) -> Result { return time_node(unit_when(a.setting, grain, count)); }});
    };
    unit("周|星期|礼拜", Grain::kWeek);
    unit("月|个月|月份", Grain::kMonth);
    unit("季度|季", Grain::kQuarter);
    unit("世纪", Grain::kCentury);
    if (count != 0) unit("年度", Grain::kYear);
    rules.push_back({keep(words + " <weekday>"), [=](const Args& a) -> Result {
                       const auto day = a.when(0).date->next(a.setting.now);
                       return time_node(weekday_of_week(a.setting, weekday(day->from), count));
                     }});
    rules.push_back({keep(words + " 周末|星期末|礼拜末"),
                     [=](const Args& a) -> Result { return time_node(weekend_of(a.setting, count)); }});
    if (count == 0) continue;
    if (std::abs(count) == 1) {
      rules.push_back({keep(words + " 小时|钟头"),
                       [=](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kHour, count)); }});
      rules.push_back({keep(words + " 分钟"), [=](const Args& a) -> Result {
                         return time_node(units_when(a.setting, Grain::kMinute, count));
                       }});
    }
  }
  for (const Name& day : kDays) {
    const int count = day.number;
    rules.push_back(
        {day.words, [=](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kDay, count)); }});
  }
  for (const Name& year : kYears) {
    const int count = year.number;
    rules.push_back(
        {year.words, [=](const Args& a) -> Result { return time_node(unit_when(a.setting, Grain::kYear, count)); }});
  }
  append(rules,
         {
             {"周末", [](const Args& a) -> Result { return time_node(weekend_of(a.setting, 0)); }},
             {"过去|最近|近|过去的|这 <int> <zunit>",
              [](const Args& a) -> Result { return time_node(rolling_when(a.setting, a[1].grain, -a.integer(0))); }},
             {"上|前|之前 <int> <zunit>",
              [](const Args& a) -> Result {
                if (a.number(0) > 100) return std::nullopt;
                return time_node(units_when(a.setting, a[1].grain, -a.integer(0)));
              }},
             {"上|前|近 <int> 月",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kMonth, -a.integer(0))); }},
             {"上|前|过去|近 <int> 日",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kDay, -a.integer(0))); }},
             {"下|后|未来|接下来|今后|之后|未来的|接下来的|往后 <int> <zunit>",
              [](const Args& a) -> Result {
                if (a.number(0) > 100) return std::nullopt;
                return time_node(units_when(a.setting, a[1].grain, a.integer(0)));
              }},
             {"下|后 <int> 月",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kMonth, a.integer(0))); }},
             {"未来|接下来|后 <int> 日",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kDay, a.integer(0))); }},
             {"前|过去|最近|近|这 几 <zunit>",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, a[0].grain, -3)); }},
             {"前|过去|最近|近|这 <int> 分 钟?",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kMinute, -a.integer(0))); }},
             {"后|未来|接下来|这|过 几 <zunit>",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, a[0].grain, 3)); }},
             {"前 一阵子|段时间|些天|些日子|阵子",
              [](const Args& a) -> Result { return time_node(units_when(a.setting, Grain::kMonth, -1)); }},
             {"<amount> 前|之前|以前",
              [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, -1)); }},
             {"<amount> 后|之后|以后|过后",
              [](const Args& a) -> Result { return time_node(shifted(a.setting.now, *a[0].amount, 1)); }},
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
              [](const Args& a) -> Result {
                const bool hours = a[0].amount->items.back().grain < Grain::kDay;
                const Moment from = hours ? a.setting.now : floor_to(a.setting.now, Grain::kDay);
                When when = date_of(only({from, shift(from, *a[0].amount, 1), hours ? Grain::kSecond : Grain::kDay}),
                                    Grain::kWeek, kAllFields);
                when.deictic = true;
                return time_node(std::move(when));
              }},
             {"现在|此刻|此时|目前|当前|而家|当下|眼下|立刻|马上|现时|此时此刻",
              [](const Args&) -> Result { return time_node(now_when()); }},
             {"刚才|刚刚|方才|适才|头先",
              [](const Args& a) -> Result {
         // The past quarter of an hour or the whole: nobody says it of more than an hour.
                When when = date_of(only({a.setting.now - kHourSeconds, a.setting.now, Grain::kMinute}), Grain::kWeek,
                                    kAllFields);
                when.deictic = true;
                return time_node(std::move(when));
              }},
             {"最近|近来|近期|近日|这阵子|这段时间|这些天|这些日子|这几天",
              [](const Args& a) -> Result {
                const Moment next = floor_to(a.setting.now, Grain::kDay) + kDaySeconds;
                When when = date_of(only({next - 30 * kDaySeconds, next, Grain::kDay}), Grain::kWeek, kAllFields);
                when.deictic = true;
                return time_node(std::move(when));
              }},
             {"上半年",
              [](const Args&) -> Result {
                return time_node(date_of(yearly([](std::int64_t year) -> std::optional<Interval> {
                                           return unit_at(midnight(year, 1, 1), Grain::kHalf);
                                         }),
                                         Grain::kHalf, kQuarterField));
              }},
             {"下半年",
              [](const Args&) -> Result {
                return time_node(date_of(yearly([](std::int64_t year) -> std::optional<Interval> {
                                           return unit_at(midnight(year, 7, 1), Grain::kHalf);
                                         }),
                                         Grain::kHalf, kQuarterField));
              }},
         });
  return rules;
}

/// A date of the Chinese calendar; the year is that in which it falls by the sun, as people say it.
When lunar_date(int month, int day) {
  return date_of(yearly([=](std::int64_t year) -> std::optional<Interval> {
                   const auto at = almanac_day(Almanac::kChinese, year, month, day);
                   if (!at) return std::nullopt;
                   return unit_at(*at, Grain::kDay);
                 }),
                 Grain::kDay, kMonthField | kDayField);
}

/// The lunar month of a lunar year named by its Gregorian year: the twelfth lies in the next one mostly.
Result lunar_of_year(std::int64_t year, int month, int day) {
  for (const std::int64_t candidate : {year, year + 1}) {
    const auto at = almanac_day(Almanac::kChinese, candidate, month, day);
    const auto first = almanac_day(Almanac::kChinese, year, 1, 1);
    if (at && first && *at >= *first) {
      When when = date_of(only(unit_at(*at, Grain::kDay)), Grain::kDay, kYearField | kMonthField | kDayField);
      when.dated = true;
      return time_node(std::move(when));
    }
  }
  return std::nullopt;
}

Rules names() {
  Rules rules;
  for (const Name& name : kWeekdays) rules.push_back(constant(name.words, time_node(weekday_when(name.number))));
  for (const Name& name : kSeasons) rules.push_back(constant(name.words, time_node(season_when(name.number))));
  append(
      rules,
      {
          {"<monthnumber> 月 份?", [](const Args& a) -> Result { return time_node(month_when(a.integer(0))); }},
          {"<daynumber> 日|号", [](const Args& a) -> Result { return time_node(day_of_month(a.integer(0))); }},
          {"<month> <day>",
           [](const Args& a) -> Result { return if_time(combine(a.when(0), day_of_month(a.integer(1))), false); }},
          {"<yyyy> 年 度?", [](const Args& a) -> Result { return time_node(year_when(a.integer(0))); }},
          {"<int> 年",
           [](const Args& a) -> Result {
             if (a[0].number >= 100 && a[0].number < 3000) return time_node(year_when(a.integer(0)));
             if (is_short_year(a[0])) return time_node(year_when(long_year(a.number(0))));
             return std::nullopt;
           }},
          {"<yeartime> 的|, <season>", [](const Args& a) -> Result { return if_time(combine(a.when(1), a.when(0))); }},
          {"<coarse> <season>",
           [](const Args& a) -> Result {
             if ((a.when(0).fields & kMonthField) != 0) return std::nullopt;
             When when = a.when(1);
             when.date = within(a.when(1).date, a.when(0).date);
             when.fields |= kYearField;
             when.dated = a.when(0).dated;
             when.deictic = a.when(0).deictic;
             return time_node(std::move(when));
           }},
          {"第 <int> 季度|季",
           [](const Args& a) -> Result {
             const int n = a.integer(0);
             if (n < 1 || n > 4) return std::nullopt;
             return time_node(date_of(yearly([=](std::int64_t year) -> std::optional<Interval> {
                                        return unit_at(midnight(year, n * 3 - 2, 1), Grain::kQuarter);
                                      }),
                                      Grain::kQuarter, kQuarterField));
           }},
          {"<coarse> 的? <int> 季度",
           [](const Args& a) -> Result { return if_time(nth_unit(a.when(0), Grain::kQuarter, a.integer(1))); }},
          {"<coarse> 的? 第 <int> 个? 星期|周|礼拜",
           [](const Args& a) -> Result { return if_time(nth_unit(a.when(0), Grain::kWeek, a.integer(1))); }},
          {"<coarse> 的? 第 <int> 天|日",
           [](const Args& a) -> Result { return if_time(nth_unit(a.when(0), Grain::kDay, a.integer(1))); }},
          {"<coarse> 的? 最后 一? 天|日",
           [](const Args& a) -> Result { return if_time(nth_unit(a.when(0), Grain::kDay, -1)); }},
          {"<coarse> 的? 最后 一? 个? 周|星期|礼拜",
           [](const Args& a) -> Result { return if_time(nth_unit(a.when(0), Grain::kWeek, -1)); }},
          {"<coarse> 的? 第? <int> 个 <weekday>",
           [](const Args& a) -> Result {
             const auto day = a.when(2).date->next(a.setting.now);
             return if_time(nth_weekday(a.when(0), weekday(day->from), a.integer(1)));
           }},
          {"<coarse> 的? 最后 一? 个? <weekday>",
           [](const Args& a) -> Result {
             const auto day = a.when(1).date->next(a.setting.now);
             return if_time(nth_weekday(a.when(0), weekday(day->from), -1));
           }},
          {"<int> 世纪",
           [](const Args& a) -> Result {
             if (a.integer(0) < 1 || a.integer(0) > 30 || (a.integer(0) < 6)) return std::nullopt;
             When when = date_of(only(unit_at(midnight((a.integer(0) - 1) * 100 + 1, 1, 1), Grain::kCentury)),
                                 Grain::kCentury, kYearField);
             when.dated = true;
             return time_node(std::move(when));
           }},
          {"上世纪 <int> 年代",
           [](const Args& a) -> Result {
             const Moment century = unit_at(a.setting.now, Grain::kCentury, -1).from;
             const std::int64_t year = civil(century).year + a.integer(0);
             When when = date_of(only(unit_at(midnight(year, 1, 1), Grain::kDecade)), Grain::kDecade, kYearField);
             when.deictic = true;
             return time_node(std::move(when));
           }},
          {"<coarse> <int> 年代",
           [](const Args& a) -> Result {
             if (a.when(0).grain != Grain::kCentury || a.integer(1) % 10 != 0 || a.integer(1) > 90) return std::nullopt;
             const auto begin = begin_of(a.when(0), a.setting);
             if (!begin) return std::nullopt;
             When when = date_of(only(unit_at(midnight(civil(*begin).year + a.integer(1), 1, 1), Grain::kDecade)),
                                 Grain::kDecade, kYearField);
             when.deictic = a.when(0).deictic;
             when.dated = a.when(0).dated;
             return time_node(std::move(when));
           }},
          {"<int> 年代",
           [](const Args& a) -> Result {
             const int number = a.integer(0);
             if (number % 10 != 0 || (number > 90 && !a[0].year)) return std::nullopt;
             const int year = a[0].year ? number : number < 30 ? 2000 + number : 1900 + number;
             When when = date_of(only(unit_at(midnight(year, 1, 1), Grain::kDecade)), Grain::kDecade, kYearField);
             when.dated = true;
             return time_node(std::move(when));
           }},

      // The beginning, the middle and the end of months and years; bare ones are of those that run.
          {"<coarse> 的? 初|年初|月初|上旬|开头|开始",
           [](const Args& a) -> Result { return if_time(third_of(a.when(0), 0)); }},
          {"<coarse> 的? 中|中旬|中期|年中|月中",
           [](const Args& a) -> Result { return if_time(third_of(a.when(0), 1)); }},
          {"<coarse> 的? 底|末|年底|月底|下旬|末尾|尾|结束",
           [](const Args& a) -> Result { return if_time(third_of(a.when(0), 2)); }},
          {"月初|上旬|本月初|这个月初",
           [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kMonth, 0), 0)); }},
          {"月中|中旬",
           [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kMonth, 0), 1)); }},
          {"月底|月末|下旬|月尾",
           [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kMonth, 0), 2)); }},
          {"年初", [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kYear, 0), 0)); }},
          {"年中", [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kYear, 0), 1)); }},
          {"年底|年末|年尾",
           [](const Args& a) -> Result { return if_time(third_of(unit_when(a.setting, Grain::kYear, 0), 2)); }},
          {"去年 本月|这个月|同月",
           [](const Args& a) -> Result {
             When when =
                 date_of(only(unit_at(a.setting.now, Grain::kMonth, -12)), Grain::kMonth, kYearField | kMonthField);
             when.deictic = true;
             return time_node(std::move(when));
           }},
          {"明年 本月|这个月|同月",
           [](const Args& a) -> Result {
             When when =
                 date_of(only(unit_at(a.setting.now, Grain::kMonth, 12)), Grain::kMonth, kYearField | kMonthField);
             when.deictic = true;
             return time_node(std::move(when));
           }},

      // The Chinese calendar.
          {"初 <daynumber>",
           [](const Args& a) -> Result {
             Node node;
             node.latent = true;
             node.ordinal = true;
             node.digits = 2;
             node.number = a.number(0);
             return unless(a.number(0) > 10, node);
           }},
          {"农历|阴历|旧历 <monthnumber> 月 <day>",
           [](const Args& a) -> Result { return time_node(lunar_date(a.integer(0), a.integer(1))); }},
          {"<monthnumber> 月 <dayth>",
           [](const Args& a) -> Result { return time_node(lunar_date(a.integer(0), a.integer(1))); }},
          {"农历|阴历|旧历? 正月 <day>",
           [](const Args& a) -> Result { return time_node(lunar_date(1, a.integer(0))); }},
          {"农历|阴历|旧历? 冬月 <day>",
           [](const Args& a) -> Result { return time_node(lunar_date(11, a.integer(0))); }},
          {"农历|阴历|旧历? 腊月 <day>",
           [](const Args& a) -> Result { return time_node(lunar_date(12, a.integer(0))); }},
          {"大年 <dayth>", [](const Args& a) -> Result { return time_node(lunar_date(1, a.integer(0))); }},
          {"农历 <int> 年 <monthnumber> 月 <day>",
           [](const Args& a) { return lunar_of_year(a.integer(0), a.integer(1), a.integer(2)); }},
          {"农历 <int> 年 正月 <day>", [](const Args& a) { return lunar_of_year(a.integer(0), 1, a.integer(1)); }},
          {"农历 <int> 年 腊月 <day>", [](const Args& a) { return lunar_of_year(a.integer(0), 12, a.integer(1)); }},
      });
  return rules;
}

/// Eras by the year before their first.
constexpr Name kEras[] = {{"康熙", 1661}, {"雍正", 1722}, {"乾隆", 1735}, {"嘉庆", 1795}, {"道光", 1820},
                          {"咸丰", 1850}, {"同治", 1861}, {"光绪", 1874}, {"宣统", 1908}, {"民国", 1911}};

Rules eras() {
  Rules rules;
  for (const Name& era : kEras) {
    const int before = era.number;
    rules.push_back({keep(std::string(era.words) + " <int> 年"), [=](const Args& a) -> Result {
                       if (a.number(0) < 1 || a.number(0) > 200) return std::nullopt;
                       return time_node(year_when(before + a.integer(0)));
                     }});
    rules.push_back({keep(std::string(era.words) + " 元年"),
                     [=](const Args&) -> Result { return time_node(year_when(before + 1)); }});
  }
  return rules;
}

struct PartWords {
  std::string_view words;
  PartName name;
  int from, to;
};

constexpr PartWords kParts[] = {
    {"早上|早晨|清晨|早间|清早|一早|大清早|大早上|朝早|晨间|早", PartName::kMorning, 4, 12},
    {"上午|午前|上昼", PartName::kMorning, 8, 12},
    {"凌晨|拂晓|黎明", PartName::kMorning, 0, 6},
    {"中午|正午|午间|晌午|晏昼正", PartName::kNoon, 12, 14},
    {"下午|午后|后晌|晏昼", PartName::kAfternoon, 12, 18},
    {"傍晚|黄昏|傍黑", PartName::kEvening, 17, 19},
    {"晚上|晚间|夜晚|夜里|夜间|当晚|晚|夜晚黑|晚黑|夜", PartName::kEvening, 18, 24},
    {"深夜|半夜|午夜|大半夜|三更半夜", PartName::kNight, 22, 28},
    {"白天|日间", PartName::kOther, 8, 18},
};

Result hour_node(double hour, int minute, Grain grain, bool latent) {
  if (hour > 24 || (hour == 24 && minute > 0)) return std::nullopt;
  return time_node(clock_when(static_cast<int>(hour), minute, 0, grain, true), latent);
}

Rules clocks() {
  Rules rules;
  for (const PartWords& part : kParts) {
    const bool short_one =
        part.words.find("|早") != std::string_view::npos || part.words.find("|晚") != std::string_view::npos;
    static_cast<void>(short_one);
    rules.push_back(constant(part.words, time_node(part_when(part.name, part.from, part.to))));
  }
  append(rules,
         {
             {"<hour> 点|点钟|点整|时整|时正|点正|时许",
              [](const Args& a) { return hour_node(a.number(0), 0, Grain::kHour, false); }},
             {"<hour> 时", [](const Args& a) { return hour_node(a.number(0), 0, Grain::kHour, true); }},
             {"<hour> 点|点钟|时 <minute> 分?",
              [](const Args& a) { return hour_node(a.number(0), a.integer(1), Grain::kMinute, false); }},
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
              [](const Args& a) -> Result {
                When when = a.when(1);
                Clock& clock = *when.clock;
                const int total = clock.hour * 60 + clock.minute - a.integer(0);
                clock.hour = (total + 1440) / 60 % 24;
                clock.minute = (total + 1440) % 60;
                clock.grain = Grain::kMinute;
                return time_node(std::move(when));
              }},
             {"<clock> 差 <minute> 分",
              [](const Args& a) -> Result {
                When when = a.when(0);
                Clock& clock = *when.clock;
                const int total = clock.hour * 60 + clock.minute - a.integer(1);
                clock.hour = (total + 1440) / 60 % 24;
                clock.minute = (total + 1440) % 60;
                clock.grain = Grain::kMinute;
                return time_node(std::move(when));
              }},
             {"零时|零点", [](const Args&) -> Result { return time_node(clock_when(0, 0, 0, Grain::kHour, false)); }},
             {"大约|大概|约|差不多 <time>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
             {"<timed> 左右|前后|上下|钟|整|许|多", [](const Args& a) -> Result { return time_node(a.when(0)); }},
             {"<part> 的? <clock>", [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},
         });
  const auto short_day = [](int days, PartName name, int from, int to) {
    return [=](const Args& a) {
      return if_time(combine(unit_when(a.setting, Grain::kDay, days), part_when(name, from, to)));
    };
  };
  append(rules, {
                    {"今晚|今夜|当晚|今晚上", short_day(0, PartName::kEvening, 18, 24)},
                    {"昨晚|昨夜|寻晚|琴晚|昨晚上", short_day(-1, PartName::kEvening, 18, 24)},
                    {"前晚", short_day(-2, PartName::kEvening, 18, 24)},
                    {"明晚|听晚|明晚上", short_day(1, PartName::kEvening, 18, 24)},
                    {"今早|今晨|今朝|今早上", short_day(0, PartName::kMorning, 4, 12)},
                    {"明早|明晨|听朝|明早上", short_day(1, PartName::kMorning, 4, 12)},
                    {"昨早|昨晨|寻朝", short_day(-1, PartName::kMorning, 4, 12)},
                    {"后晚", short_day(2, PartName::kEvening, 18, 24)},
                });
  return rules;
}

Rules stretches() {
  const auto make = [](const Args& a) -> Result {
    if (a[0].latent && a[1].latent) return std::nullopt;
    return if_time(stretch(a.when(0), a.when(1)));
  };
  return {
      {"从|自|在|由|于? <point> 到|至|-|~|直到|--|一直到 <point> 之间|期间|为止|止|间?", make},
      {"从|自|在|由? <point> 与|和|跟 <point> 之间|期间|间", make},
      {"从|自|由 <yyyy> 到|至|-|~ <yyyy> 年?",
       [](const Args& a) -> Result {
         if (a.number(0) >= a.number(1)) return std::nullopt;
         return if_time(stretch(year_when(a.integer(0)), year_when(a.integer(1))));
       }},
      {"从|自? <yyyy> 到|至|-|~ <yyyy> 年",
       [](const Args& a) -> Result {
         if (a.number(0) >= a.number(1)) return std::nullopt;
         return if_time(stretch(year_when(a.integer(0)), year_when(a.integer(1))));
       }},
      {"从|自? <daynumber> 到|至|-|~ <daynumber> 日|号",
       [](const Args& a) -> Result {
         if (a.number(0) >= a.number(1)) return std::nullopt;
         return if_time(stretch(day_of_month(a.integer(0)), day_of_month(a.integer(1))));
       }},
      {"从|自? <coarse> 的? <daynumber> 日|号? 到|至|-|~ <daynumber> 日|号",
       [](const Args& a) -> Result {
         const auto from = combine(day_of_month(a.integer(1)), a.when(0));
         const auto to = combine(day_of_month(a.integer(2)), a.when(0));
         if (!from || !to || a.number(1) >= a.number(2)) return std::nullopt;
         return if_time(stretch(*from, *to));
       }},
      {"<time> 之前|以前|前",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch() || a.when(0).is_now) return std::nullopt;
         return time_node(open_to(a.when(0), false));
       }},
      {"<time> 之后|以后|后|起|以来|开始|至今",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch() || a.when(0).is_now) return std::nullopt;
         return time_node(open_from(a.when(0), false));
       }},
      {"自|自从|从 <time> 之后|以后|后|起|以来|开始|至今",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch() || a.when(0).is_now) return std::nullopt;
         return time_node(open_from(a.when(0), false));
       }},
      {"<time> 之后|以后 <time> 之前|以前",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch() || a.when(1).is_stretch()) return std::nullopt;
         auto when = stretch(a.when(0), a.when(1));
         if (when) when->counts_end = false;
         return if_time(std::move(when));
       }},
      {"直到|截至|截止|到 <time> 为止|止",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch()) return std::nullopt;
         return time_node(open_to(a.when(0), true));
       }},
  };
}

Rules repetitions() {
  Rules rules = {
      constant("每天|每日|天天|日日|每一天", set_node("P1D")),
      constant("每周|每星期|每个星期|每礼拜|每个礼拜|每一周|周周", set_node("P1W")),
      constant("每月|每个月|月月", set_node("P1M")),
      constant("每年|年年|每一年", set_node("P1Y")),
      constant("每季度|每个季度|每季", set_node("P3M")),
      constant("每小时|每个小时|每个钟头", set_node("PT1H")),
      constant("每分钟", set_node("PT1M")),
      {"每|每隔 <amount>", [](const Args& a) -> Result { return set_node(iso_duration(*a[0].amount)); }},
      {"每|每个|每逢|逢 <weekday>",
       [](const Args& a) -> Result {
         return set_node(fmt::format("XXXX-WXX-{}", weekday(a.when(0).date->next(a.setting.now)->from)));
       }},
      {"每年 的? <monthday>",
       [](const Args& a) -> Result {
         const auto day = a.when(0).date->next(a.setting.now);
         if (!day) return std::nullopt;
         return set_node(fmt::format("XXXX-{:02}-{:02}", civil(day->from).month, civil(day->from).day));
       }},
      {"每月|每个月 的? <daynumber> 日|号",
       [](const Args& a) -> Result { return set_node(fmt::format("XXXX-XX-{:02}", a.integer(0))); }},
      {"<set> 的? <timed>",
       [](const Args& a) -> Result {
         if (a.when(1).date) return std::nullopt;
         return set_node((*a[0].set == "P1D" ? "" : *a[0].set) + repeated_clock(*a.when(1).clock));
       }},
  };
  struct Part {
    std::string_view words, set;
  };
  constexpr Part kEvery[] = {{"每天早上|每天上午|每天早晨|每个早上|每个上午", "TMO"},
                             {"每天下午|每个下午", "TAF"},
                             {"每天晚上|每晚|每个晚上", "TEV"}};
  for (const Part& part : kEvery) rules.push_back(constant(part.words, set_node(std::string(part.set))));
  // 每周一 is each Monday, not the first of each week.
  constexpr Name kEach[] = {{"每周一|每星期一|每礼拜一", 1},
                            {"每周二|每星期二|每礼拜二", 2},
                            {"每周三|每星期三|每礼拜三", 3},
                            {"每周四|每星期四|每礼拜四", 4},
                            {"每周五|每星期五|每礼拜五", 5},
                            {"每周六|每星期六|每礼拜六", 6},
                            {"每周日|每星期日|每周天|每星期天|每礼拜天|每礼拜日", 7}};
  for (const Name& day : kEach) rules.push_back(constant(day.words, set_node(fmt::format("XXXX-WXX-{}", day.number))));
  return rules;
}

Rules together() {
  return {
      constant(
          "一点一点|有一天|那一天|这一天|哪一天|某一天|一天到晚|三天两头|天天向上|改天|半天没|老半天|第一天|第二天|"
          "第三天|"
          "一年四季|一年一度|三年级|一年级|二年级|四年级|五年级|六年级|百年老店|一周岁|天下|三分球|零点几|"
          "今后|日后|以前|年月日|五一路|五四运动|九一八|双休日|工作日|早晚|早点|晚点|晚会|晚餐|晚饭|早餐|早饭|早就|"
          "早已|早知道|午饭|午餐|夜宵|夜市|年夜饭|白天鹅|前天性|日月|春秋战国",
          idiom_node()),
      {"<any> 的|,|,_在|在|嘅|是|(? <any>",
       [](const Args& a) -> Result { return if_time(combine(a.when(0), a.when(1)), a[0].latent && a[1].latent); }},
      {"<monthday> (|, <weekday> )", [](const Args& a) { return if_time(combine(a.when(1), a.when(0))); }},
  };
}

}  // namespace

std::vector<Rule> chinese_rules() {
  Rules rules;
  for (auto part : {amounts, pointers, names, eras, clocks, stretches, repetitions, together}) append(rules, part());
  return rules;
}

}  // namespace weft::timex
