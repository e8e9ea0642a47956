#include "text/stat_words.h"

#include <unordered_map>

#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/words.h"

namespace weft {
namespace {

std::unordered_map<std::string, std::string_view> build_stats() {
  std::unordered_map<std::string, std::string_view> map;
  for (const std::string_view entry : lexicon_both("games", "statistics")) {
    const auto sign = entry.find('=');
    map[name_key(entry.substr(0, sign))] = entry.substr(sign + 1);
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
  static const LexiconWords set = lexicon_both_words("games", "counts");
  return set.contains(key);
}

}  // namespace weft
