#include "text/time/nearest.h"

#include <algorithm>
#include <array>

namespace weft::timex {

bool means_nearest(std::string_view before, std::string_view behind) {
  constexpr auto kPlaces = std::to_array<std::string_view>(
      {"地铁", "车站", "酒店", "宾馆", "旅馆", "餐馆",   "餐厅", "饭店", "医院", "银行", "机场",
       "超市", "商店", "景点", "公园", "出口", "加油站", "学校", "城市", "药店", "邮局", "公交",
       "火车", "停车", "路",   "站",   "地方", "地点",   "位置", "距离", "咖啡", "健身"});
  if (behind.starts_with("邻") || behind.starts_with("公共")) return true;
  const bool of = behind.starts_with("的");
  const std::string_view noun = of ? behind.substr(std::string_view("的").size()) : behind;
  for (const std::string_view skip : {"", "一家", "一个", "那家", "那个"}) {
    if (!noun.starts_with(skip)) continue;
    const std::string_view from = noun.substr(skip.size());
    if (std::any_of(kPlaces.begin(), kPlaces.end(), [&](auto place) { return from.starts_with(place); })) return true;
  }
  constexpr auto kStops = std::to_array<std::string_view>({"，", "。", "？", "！", "\n", ",", "?", "!"});
  // 这家是最近的: nothing follows that could have been lately.
  const bool ends =
      noun.empty() || std::any_of(kStops.begin(), kStops.end(), [&](auto s) { return noun.starts_with(s); });
  if (of && ends && before.ends_with("是")) return true;
  // 离 or 距 earlier in the clause.
  constexpr std::size_t kReach = 60;
  if (before.size() > kReach) before.remove_prefix(before.size() - kReach);
  for (const std::string_view stop : kStops) {
    if (const std::size_t cut = before.rfind(stop); cut != std::string_view::npos)
      before.remove_prefix(cut + stop.size());
  }
  return before.find("离") != std::string_view::npos || before.find("距") != std::string_view::npos;
}

}  // namespace weft::timex
