// Units and lengths of time: 三天, 两个半小时.
#include "text/time/rules_parts.h"

namespace weft::timex::chinese {
namespace {

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

}  // namespace

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

}  // namespace weft::timex::chinese
