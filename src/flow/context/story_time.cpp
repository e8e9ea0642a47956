#include "flow/context/story_time.h"

#include <array>
#include <string_view>

#include "text/stat_words.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 22> kTimes = {
    "time",     "gametime", "worldtime", "storytime", "ingametime", "currenttime", "datetime", "clock",
    "date",     "calendar", "timeofday", "day",       "hour",       "时间",        "游戏时间", "当前时间",
    "世界时间", "时刻",     "日期",      "时辰",      "历法",       "日子"};
constexpr std::array<std::string_view, 12> kScenes = {"scene", "world", "setting", "environment", "game", "story",
                                                      "场景",  "世界",  "环境",    "设定",        "剧情", "游戏"};

const Value* time_in(const Value& object) {
  if (object.object() == nullptr) return nullptr;
  for (const std::string_view wanted : kTimes)
    for (const auto& [name, value] : *object.object())
      if (name_key(name) == wanted && !value.is_null()) return &value;
  return nullptr;
}

}  // namespace

const Value* story_time(const Value& root) {
  if (const Value* found = time_in(root)) return found;
  if (root.object() == nullptr) return nullptr;
  for (const std::string_view wanted : kScenes)
    for (const auto& [name, value] : *root.object())
      if (name_key(name) == wanted)
        if (const Value* found = time_in(value)) return found;
  return nullptr;
}

}  // namespace weft
