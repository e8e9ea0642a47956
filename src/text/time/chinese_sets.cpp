// From one time to another, repetitions, and times that belong together.
#include <fmt/format.h>

#include "text/time/rules_parts.h"

namespace weft::timex::chinese {
namespace {

using Result = std::optional<Node>;

struct Name {
  std::string_view words;
  int number;
};

/// 每周一到周五, 周一至周五9点到5点: the days of a week and the hour at which they begin.
Result days_of_week(const Args& a, std::optional<std::size_t> hours) {
  const auto number = [&](std::size_t i) { return weekday(a.when(i).date->next(a.setting.now)->from); };
  if (number(0) == number(1)) return std::nullopt;
  if (hours && a.when(*hours).date) return std::nullopt;
  const std::string set = fmt::format("XXXX-WXX-{}/{}", number(0), number(1));
  return set_node(hours ? set + repeated_clock(*a.when(*hours).clock) : set);
}

/// 三日 before 前 and 后.
bool counts_days(const Node& node) { return node.words && node.when->fields == kDayField; }

}  // namespace

Rules stretches() {
  const auto make = [](const Args& a) -> Result {
    if (a[0].latent && a[1].latent) return std::nullopt;
    return if_time(stretch(a.when(0), a.when(1)));
  };
  return {
      {"从|自|在|由|于? <point> 到|至|-|~|直到|--|一直到 <point> 之间|期间|为止|止|间?", make},
      {"从|自|在|由? <point> 与|和|跟 <point> 之间|期间|间", make},
      {"从|自|由? <weekday> 到|至|-|~ <int>",
       [](const Args& a) -> Result {
         // 周一至五
         if (!a[1].words || a[1].ordinal || a.number(1) < 1 || a.number(1) > 6) return std::nullopt;
         return if_time(stretch(a.when(0), weekday_when(a.integer(1))));
       }},
      {"从|自|由? <weekday> 到|至|-|~ 日",
       [](const Args& a) -> Result { return if_time(stretch(a.when(0), weekday_when(7))); }},
      {"从|自|由? <month> <daynumber> 日|号? 至|-|~ <daynumber>",
       [](const Args& a) -> Result {
         const auto from = combine(day_of_month(a.integer(1)), a.when(0));
         const auto to = combine(day_of_month(a.integer(2)), a.when(0));
         if (!from || !to || a.number(1) >= a.number(2)) return std::nullopt;
         return if_time(stretch(*from, *to));
       }},
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
         if (a.when(0).is_stretch() || a.when(0).is_now || counts_days(a[0])) return std::nullopt;
         return time_node(open_to(a.when(0), false));
       }},
      // Before the end of a month is before the next one.
      {"<coarse> 的? 底|末|年底|月底|尾 之前|以前|前",
       [](const Args& a) -> Result {
         const auto end = third_of(a.when(0), 2);
         if (!end) return std::nullopt;
         return time_node(open_to(*end, true));
       }},
      {"月底|月末|月尾 之前|以前|前",
       [](const Args& a) -> Result { return time_node(open_to(unit_when(a.setting, Grain::kMonth, 0), true)); }},
      {"年底|年末|年尾 之前|以前|前",
       [](const Args& a) -> Result { return time_node(open_to(unit_when(a.setting, Grain::kYear, 0), true)); }},
      {"截至|截止 <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch()) return std::nullopt;
         return time_node(open_to(a.when(0), true));
       }},
      {"早于|先于 <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch() || a.when(0).is_now) return std::nullopt;
         return time_node(open_to(a.when(0), false));
       }},
      {"不晚于|不迟于|最晚|最迟|至迟 <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch() || a.when(0).is_now) return std::nullopt;
         return time_node(open_to(a.when(0), false));
       }},
      {"晚于|迟于 <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch() || a.when(0).is_now) return std::nullopt;
         return time_node(open_from(a.when(0), a.when(0).grain > Grain::kDay));
       }},
      {"不早于|最早 <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch() || a.when(0).is_now) return std::nullopt;
         return time_node(open_from(a.when(0), false));
       }},
      {"<daydate> 前后|左右", [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"<time> 起|以来|开始|至今",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch() || a.when(0).is_now) return std::nullopt;
         return time_node(open_from(a.when(0), false));
       }},
      {"<time> 之后|以后|后",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch() || a.when(0).is_now || counts_days(a[0])) return std::nullopt;
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
      {"直到|一直到 <time>",
       [](const Args& a) -> Result {
         if (a.when(0).is_stretch() || a.when(0).is_now) return std::nullopt;
         return time_node(open_to(a.when(0), true));
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
      constant("每周末|每个周末|每逢周末", set_node("XXXX-WXX-WE")),
      constant("每小时|每个小时|每个钟头", set_node("PT1H")),
      constant("每分钟", set_node("PT1M")),
      constant("隔天|隔日|每隔一天|每隔一日", set_node("P2D")),
      constant("隔周|每隔一周|每隔一个星期|每隔一个礼拜", set_node("P2W")),
      constant("隔月|每隔一个月|每隔一月", set_node("P2M")),
      constant("隔年|每隔一年", set_node("P2Y")),
      constant("工作日|每个工作日|平日|每逢工作日", set_node("XXXX-WXX-1/5")),
      {"每|每隔 <amount>", [](const Args& a) -> Result { return set_node(iso_duration(*a[0].amount)); }},
      {"每|每个|每逢|逢 <weekday>",
       [](const Args& a) -> Result {
         return set_node(fmt::format("XXXX-WXX-{}", weekday(a.when(0).date->next(a.setting.now)->from)));
       }},
      {"每|每逢|逢|每周|每个星期 <weekday> 到|至|-|~ <weekday>",
       [](const Args& a) { return days_of_week(a, std::nullopt); }},
      {"每|每逢|逢 从? <weekday> 到|至|-|~ <int>",
       [](const Args& a) -> Result {
         if (!a[1].words || a[1].ordinal || a.number(1) < 1 || a.number(1) > 6) return std::nullopt;
         return set_node(
             fmt::format("XXXX-WXX-{}/{}", weekday(a.when(0).date->next(a.setting.now)->from), a.integer(1)));
       }},
      {"每? 从|自? <weekday> 到|至|-|~ <weekday> 的|,|:|每天|早? <timed> 到|至|-|~ <timed>",
       [](const Args& a) { return days_of_week(a, 2); }},
      {"每年 的? <monthday>",
       [](const Args& a) -> Result {
         const auto day = a.when(0).date->next(a.setting.now);
         if (!day) return std::nullopt;
         return set_node(fmt::format("XXXX-{:02}-{:02}", civil(day->from).month, civil(day->from).day));
       }},
      {"每年|每逢|每到|逢 的? <holiday>", [](const Args&) -> Result { return set_node("P1Y"); }},
      {"每年|每逢|每到 的? <season>", [](const Args&) -> Result { return set_node("P1Y"); }},
      {"每年 的? <month>",
       [](const Args& a) -> Result {
         const auto month = a.when(0).date->next(a.setting.now);
         if (!month) return std::nullopt;
         return set_node(fmt::format("XXXX-{:02}", civil(month->from).month));
       }},
      {"每月|每个月 的? <daynumber> 日|号",
       [](const Args& a) -> Result { return set_node(fmt::format("XXXX-XX-{:02}", a.integer(0))); }},
      {"<set> 的? <part>",
       [](const Args& a) -> Result {
         const std::string part = part_code(a.when(1).part->name);
         if (part.empty() || !(a[0].set->starts_with("XXXX-WXX-") || *a[0].set == "P1D")) return std::nullopt;
         return set_node((*a[0].set == "P1D" ? "" : *a[0].set) + part);
       }},
      {"<amount> <int> 次|回|遍", [](const Args& a) -> Result { return set_node(iso_duration(*a[0].amount)); }},
      {"<set> 的? <timed>",
       [](const Args& a) -> Result {
         if (a.when(1).date) return std::nullopt;
         return set_node(repeated_clock(*a[0].set, *a.when(1).clock));
       }},
  };
  struct Part {
    std::string_view words, set;
  };
  constexpr Part kEvery[] = {{"每天早上|每天上午|每天早晨|每朝|每日朝早|每日早上|每日上午|每个早上|每个上午", "TMO"},
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
          "今后|日后|以前|年月日|五一路|五四运动|九一八|双休日|工作日|早晚|早点|晚点|早一点|晚一点|早一些|晚一些|"
          "早一步|晚一步|早起|早睡|晚睡|晚会|晚餐|晚饭|早餐|早饭|早就|"
          "早已|早知道|午饭|午餐|夜宵|夜市|年夜饭|白天鹅|前天性|日月|春秋战国",
          idiom_node()),
      {"<any> 的|,|,_在|在|嘅|是|(? <any>",
       [](const Args& a) -> Result {
         // "May 3, 4 and 5": a number alone is no hour of the day before it.
         const When& second = a.when(1);
         if (a[1].latent && a[1].end - a[1].begin == 1 && second.clock && !second.date) return std::nullopt;
         return if_time(combine(a.when(0), second), a[0].latent && a[1].latent);
       }},
      {"<monthday> (|, <weekday> )", [](const Args& a) { return if_time(combine(a.when(1), a.when(0))); }},
  };
}

}  // namespace weft::timex::chinese
