// Names of weekdays and seasons, dates of the sun and of the moon, eras.
#include <memory>
#include <string>

#include "text/time/rules_parts.h"

namespace weft::timex::chinese {
namespace {

using Result = std::optional<Node>;

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

constexpr Name kSeasons[] = {{"春天|春季", 0}, {"夏天|夏季", 1}, {"秋天|秋季", 2}, {"冬天|冬季", 3}};

/// 07年 and 98年 are years, 20年 is a length.
bool is_short_year(const Node& n) {
  return !n.words && n.digits == 2 && !n.ordinal && (n.number < 10 || n.number >= 60);
}

/// 一八年 is read out, 一两年 and 三五年 are guesses.
bool is_read_year(const Node& n) {
  if (!n.words || n.ordinal || n.end - n.begin != 2) return false;
  if (n.number >= 1 && n.number < 10) return true;  // 零九
  if (n.digits != 2) return false;
  const int tens = static_cast<int>(n.number) / 10, ones = static_cast<int>(n.number) % 10;
  return (tens < 2 || tens > 5) && ones != tens + 1;
}

std::int64_t long_year(double year) { return static_cast<std::int64_t>(year) + (year < 60 ? 2000 : 1900); }

/// A date of the Chinese calendar; the year is that in which it falls by the sun, as people say it.
Result unless(bool condition, Node node) {
  if (condition) return std::nullopt;
  return node;
}

/// 19年5月: of this century or the last.
Result in_short_year(const Args& a, const When& when) {
  auto dated = combine(when, year_when(long_year(a.number(0))));
  if (dated) dated->deictic = true;
  return if_time(std::move(dated));
}

/// Leap months of one number may be decades apart.
int years_between(int month) { return month < 0 ? 40 : 9; }

When lunar_date(int month, int day) {
  return date_of(yearly(
                     [=](std::int64_t year) -> std::optional<Interval> {
                       const auto at = almanac_day(Almanac::kChinese, year, month, day);
                       if (!at) return std::nullopt;
                       return unit_at(*at, Grain::kDay);
                     },
                     years_between(month)),
                 Grain::kDay, kMonthField | kDayField);
}

When lunar_month(int month) {
  return date_of(yearly(
                     [=](std::int64_t year) -> std::optional<Interval> {
                       const auto first = almanac_day(Almanac::kChinese, year, month, 1);
                       if (!first) return std::nullopt;
                       const bool full = almanac_day(Almanac::kChinese, civil(*first + 29 * kDaySeconds).year, month,
                                                     30) == *first + 29 * kDaySeconds;
                       return Interval{*first, *first + (full ? 30 : 29) * kDaySeconds, Grain::kDay};
                     },
                     years_between(month)),
                 Grain::kMonth, kMonthField | kWeekField);
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

/// Eras by the year before their first.
constexpr Name kEras[] = {
    {"康熙", 1661}, {"雍正", 1722}, {"乾隆", 1735}, {"嘉庆", 1795}, {"道光", 1820}, {"咸丰", 1850}, {"同治", 1861},
    {"光绪", 1874}, {"宣统", 1908}, {"民国", 1911}, {"贞观", 626},  {"开元", 712},  {"洪武", 1367}, {"永乐", 1402},
    {"万历", 1572}, {"崇祯", 1627}, {"明治", 1867}, {"大正", 1911}, {"昭和", 1925}, {"平成", 1988}, {"令和", 2018}};

}  // namespace

Rules names() {
  Rules rules;
  for (const Name& name : kWeekdays) rules.push_back(constant(name.words, time_node(weekday_when(name.number))));
  for (const Name& name : kSeasons) rules.push_back(constant(name.words, time_node(season_when(name.number))));
  append(
      rules,
      {
          {"<monthnumber> 月 份?", [](const Args& a) -> Result { return time_node(month_when(a.integer(0))); }},
          {"<daynumber> 号", [](const Args& a) -> Result { return time_node(day_of_month(a.integer(0))); }},
          {"<daynumber> 日",
           [](const Args& a) -> Result {
             Node node = time_node(day_of_month(a.integer(0)));
             node.words = a[0].words;  // 三日后 is three days on, 3日后 after the third
             return node;
           }},
          {"<month> <day>",
           [](const Args& a) -> Result { return if_time(combine(a.when(0), day_of_month(a.integer(1))), false); }},
          {"<yyyy> 年 度?", [](const Args& a) -> Result { return time_node(year_when(a.integer(0))); }},
          {"<yy> 年 <month>", [](const Args& a) { return in_short_year(a, a.when(1)); }},
          {"<yy> 年 的? <monthday>", [](const Args& a) { return in_short_year(a, a.when(1)); }},
          {"<yy> 年 底|末|年底|年末|尾",
           [](const Args& a) -> Result { return if_time(third_of(year_when(long_year(a.number(0))), 2)); }},
          {"<yy> 年 初|年初",
           [](const Args& a) -> Result { return if_time(third_of(year_when(long_year(a.number(0))), 0)); }},
          {"<int> 年 <monthday>",
           [](const Args& a) -> Result {
             if (!a[0].words || a.number(0) < 1000 || a.number(0) > 2999) return std::nullopt;
             return if_time(combine(a.when(1), year_when(a.integer(0))));
           }},
          {"公元 <int> 年",
           [](const Args& a) -> Result {
             if (a.number(0) < 1 || a.number(0) > 2999) return std::nullopt;
             return time_node(year_when(a.integer(0)));
           }},
          {"<int> 年",
           [](const Args& a) -> Result {
             if (is_read_year(a[0])) return time_node(year_when(long_year(a.number(0))));
             // 三百年 is a length: years are read out digit by digit.
             const bool counted = a[0].words && a[0].digits != 4 && a[0].digits != 3;
             if (!counted && a[0].number >= 100 && a[0].number < 3000) return time_node(year_when(a.integer(0)));
             if (is_short_year(a[0])) {
               When when = year_when(long_year(a.number(0)));
               // 98年 and 06年 are of one century or the other; 60年 is as often a length.
               when.deictic = a[0].number < 10 || a[0].number >= 80;
               return time_node(std::move(when));
             }
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
          {"第? <int> 季度",
           [](const Args& a) -> Result {
             const int n = a.integer(0);
             if (n < 1 || n > 4) return std::nullopt;
             return time_node(date_of(yearly([=](std::int64_t year) -> std::optional<Interval> {
                                        return unit_at(midnight(year, n * 3 - 2, 1), Grain::kQuarter);
                                      }),
                                      Grain::kQuarter, kQuarterField));
           }},
          {"<coarse> 的? 第? <int> 季",
           [](const Args& a) -> Result {
             if (a.when(0).grain != Grain::kYear) return std::nullopt;
             return if_time(nth_unit(a.when(0), Grain::kQuarter, a.integer(1)));
           }},
          {"第 <int> 季",
           [](const Args& a) -> Result {
             const int n = a.integer(0);
             if (n < 1 || n > 4) return std::nullopt;
             return time_node(date_of(yearly([=](std::int64_t year) -> std::optional<Interval> {
                                        return unit_at(midnight(year, n * 3 - 2, 1), Grain::kQuarter);
                                      }),
                                      Grain::kQuarter, kQuarterField),
                              true);
           }},
          {"<coarse> 的? 第 <int> 个 月",
           [](const Args& a) -> Result { return if_time(nth_unit(a.when(0), Grain::kMonth, a.integer(1))); }},
          {"<coarse> 的? 最后 一? 个 月",
           [](const Args& a) -> Result { return if_time(nth_unit(a.when(0), Grain::kMonth, -1)); }},
          {"<coarse> 的? 第? <int> 个 周末",
           [](const Args& a) -> Result { return if_time(weekend_within(a.when(0), a.integer(1))); }},
          {"<coarse> 的? 最后 一? 个? 周末",
           [](const Args& a) -> Result { return if_time(weekend_within(a.when(0), -1)); }},
          {"<coarse> 的? 前|头 <int> <zunit>",
           [](const Args& a) -> Result { return if_time(edge_units(a.when(0), a[2].grain, a.integer(1), false)); }},
          {"<coarse> 的? 最后 <int> <zunit>",
           [](const Args& a) -> Result {
             if (a.number(1) == 1) return std::nullopt;  // the last week is one of the calendar
             return if_time(edge_units(a.when(0), a[2].grain, a.integer(1), true));
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
          {"<coarse> 的? 底|末|年底|月底|年末|年尾|月末|月尾|下旬|末尾|尾|结束",
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
          {"农历|阴历|旧历 <monthnumber> 月",
           [](const Args& a) -> Result { return time_node(lunar_month(a.integer(0))); }},
          constant("正月|农历正月", time_node(lunar_month(1))),
          constant("冬月|农历冬月", time_node(lunar_month(11))),
          constant("腊月|农历腊月", time_node(lunar_month(12))),
          {"年 <dayth>", [](const Args& a) -> Result { return time_node(lunar_date(1, a.integer(0))); }},
          {"大年 <dayth>", [](const Args& a) -> Result { return time_node(lunar_date(1, a.integer(0))); }},
          {"农历|阴历|旧历? 闰 <monthnumber> 月 <day>",
           [](const Args& a) -> Result { return time_node(lunar_date(-a.integer(0), a.integer(1))); }},
          {"农历|阴历|旧历? 闰 <monthnumber> 月",
           [](const Args& a) -> Result { return time_node(lunar_month(-a.integer(0))); }},
          {"农历? <int> 年 闰 <monthnumber> 月 <day>",
           [](const Args& a) -> Result {
             if (!a[0].year) return std::nullopt;
             return lunar_of_year(a.integer(0), -a.integer(1), a.integer(2));
           }},
          {"农历 <int> 年 <monthnumber> 月 <day>",
           [](const Args& a) { return lunar_of_year(a.integer(0), a.integer(1), a.integer(2)); }},
          {"农历 <int> 年 正月 <day>", [](const Args& a) { return lunar_of_year(a.integer(0), 1, a.integer(1)); }},
          {"农历 <int> 年 腊月 <day>", [](const Args& a) { return lunar_of_year(a.integer(0), 12, a.integer(1)); }},
      });
  return rules;
}

Rules eras() {
  Rules rules;
  for (const Name& era : kEras) {
    const int before = era.number;
    rules.push_back({std::string(era.words) + " <int> 年", [=](const Args& a) -> Result {
                       if (a.number(0) < 1 || a.number(0) > 200) return std::nullopt;
                       return time_node(year_when(before + a.integer(0)));
                     }});
    rules.push_back(
        {std::string(era.words) + " 元年", [=](const Args&) -> Result { return time_node(year_when(before + 1)); }});
  }
  return rules;
}

}  // namespace weft::timex::chinese
