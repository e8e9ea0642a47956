// What counts from the moment of speaking: 昨天, 上周五, 三天前, 最近.
#include <cstdlib>
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

}  // namespace

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
      rules.push_back({keep(words + " 小时|钟头"), [=](const Args& a) -> Result {
                         return time_node(rolling_when(a.setting, Grain::kHour, count));
                       }});
      rules.push_back({keep(words + " 分钟"), [=](const Args& a) -> Result {
                         return time_node(rolling_when(a.setting, Grain::kMinute, count));
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

}  // namespace weft::timex::chinese
