#include "text/stat_words.h"

#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "text/plain_words.h"
#include "text/words.h"

namespace weft {
namespace {

using Row = std::pair<std::string_view, std::string_view>;

// Names of statistics as role-playing games print them.
constexpr std::array<Row, 20> kStats = {{
    {"hp",
     "hp|health|health points|hit points|hitpoints|life|life points|vitality|生命|生命值|生命点|血|血量|血条|血值"},
    {"mp", "mp|mana|mana points|magic points|magic power|魔力|魔力值|魔法|魔法值|法力|法力值|蓝|蓝量|蓝条"},
    {"gold", "gold|gold coins|gold pieces|coins|money|gp|金币|金钱|钱|金子|金币数"},
    {"silver", "silver|silver coins|silver pieces|银币|银两|银子"},
    {"xp", "xp|exp|experience|experience points|经验|经验值|经验点"},
    {"level", "level|lvl|lv|等级|级别"},
    {"stamina", "stamina|energy|endurance|sp|体力|体力值|耐力|耐力值|精力|精力值"},
    {"strength", "strength|str|力量|力量值"},
    {"dexterity", "dexterity|dex|agility|agi|敏捷|敏捷值"},
    {"intelligence", "intelligence|int|智力|智力值"},
    {"wisdom", "wisdom|wis|感知"},
    {"charisma", "charisma|cha|魅力|魅力值"},
    {"attack", "attack|atk|attack power|攻击|攻击力"},
    {"defense", "defense|defence|def|armor|armour|armor class|防御|防御力|护甲|护甲值"},
    {"speed", "speed|spd|速度"},
    {"luck", "luck|幸运|幸运值|运气"},
    {"sanity", "sanity|san|理智|理智值"},
    {"hunger", "hunger|satiety|饥饿|饥饿值|饥饿度|饱食度"},
    {"affection", "affection|affinity|favor|favour|好感|好感度|亲密度"},
    {"reputation", "reputation|rep|fame|renown|声望|声望值|名声"},
}};

std::unordered_map<std::string, std::string_view> build_stats() {
  std::unordered_map<std::string, std::string_view> map;
  for (const auto& [stat, names] : kStats) {
    for (const std::string_view name : split_list(names, '|')) map[name_key(name)] = stat;
  }
  return map;
}

// "potions" → "potion", "arrows" → "arrow", "boxes" → "box", "berries" → "berry"; "glass" and "dress" stay.
std::string singular(std::string word) {
  const auto ends = [&word](std::string_view end) { return word.size() > end.size() + 1 && word.ends_with(end); };
  if (ends("ies")) return word.substr(0, word.size() - 3) + "y";
  if (ends("ches") || ends("shes") || ends("xes") || ends("sses")) return word.substr(0, word.size() - 2);
  if (ends("s") && !ends("ss") && !ends("us") && !ends("is")) word.pop_back();
  return word;
}

}  // namespace

std::string name_key(std::string_view text) {
  std::string key;
  for (PlainWord& word : plain_words(text)) {
    switch (word.kind) {
      case WordKind::kWord: key += singular(std::move(word.text)); break;
      case WordKind::kHan:
      case WordKind::kNumber: key += word.text; break;
      default: break;
    }
  }
  return key;
}

std::string_view stat_of(std::string_view key) {
  static const std::unordered_map<std::string, std::string_view> map = build_stats();
  const auto found = map.find(std::string(key));
  return found == map.end() ? std::string_view() : found->second;
}

bool is_count_field(std::string_view key) {
  static const std::unordered_set<std::string_view> set = {"count", "amount", "quantity", "qty",  "number",
                                                           "num",   "数量",   "个数",     "数目", "stock"};
  return set.contains(key);
}

}  // namespace weft
