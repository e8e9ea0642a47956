#include "flow/historian/chinese_text.h"

#include <algorithm>
#include <array>

#include "text/utf8.h"

namespace weft {

std::string_view character_before(std::string_view text, std::size_t at) {
  return at >= kHanSize ? text.substr(at - kHanSize, kHanSize) : std::string_view();
}

bool is_stop(std::string_view character) {
  constexpr auto kStops = std::to_array<std::string_view>(
      {"，", "。", "？", "！", "、", "；", "：", "（", "）", "“",  "”",  "《", "》", "的", "了",
       "吧", "吗", "呢", "啊", "就", "和", "或", "与", "是", "在", "有", "也", "都", "我", "你",
       "您", "他", "她", "它", "这", "那", "哪", "们", "不", "想", "要", "去", "请", "谢", "咱"});
  return std::find(kStops.begin(), kStops.end(), character) != kStops.end();
}

bool is_clause_mark(std::string_view character) {
  constexpr auto kMarks = std::to_array<std::string_view>({"，", "。", "？", "！", "；", "："});
  return std::find(kMarks.begin(), kMarks.end(), character) != kMarks.end();
}

bool begins_clause(std::string_view text, std::size_t at) {
  return at == 0 || is_clause_mark(character_before(text, at));
}

bool is_counted(std::string_view text, std::size_t at) {
  constexpr std::string_view kNumbers = "一二两三四五六七八九十百千万几这那每半多第数哪某";
  if (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') return true;
  const std::string_view before = character_before(text, at);
  const std::size_t found = before.empty() ? std::string_view::npos : kNumbers.find(before);
  return found != std::string_view::npos && found % kHanSize == 0;
}

bool names_place(std::string_view text, std::size_t at) {
  constexpr auto kPlaces = std::to_array<std::string_view>({"山", "湖", "江", "河", "岛", "桥", "寺", "塔", "镇"});
  return std::any_of(kPlaces.begin(), kPlaces.end(),
                     [&](std::string_view place) { return starts_at(text, at + 2 * kHanSize, place); });
}

std::size_t end_of_run(std::string_view text, std::size_t at, std::string_view ends) {
  constexpr std::size_t kLongest = 20 * kHanSize;
  std::size_t end = std::min(at, text.size());
  while (end < text.size()) {
    const std::string_view character = text.substr(end, kHanSize);
    const std::size_t listed = ends.find(character);
    if (is_stop(character) || static_cast<unsigned char>(text[end]) < 0xE4) break;
    if (listed != std::string_view::npos && listed % kHanSize == 0) break;
    next_code_point(text, end);
    if (end > at + kLongest) return at;
  }
  return end;
}

}  // namespace weft
