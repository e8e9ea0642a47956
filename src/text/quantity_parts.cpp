#include "text/quantity_parts.h"

#include <charconv>
#include <cmath>

#include "text/lexicon.h"

namespace weft {

std::optional<double> quantity_number(const PlainWord& word) {
  if (word.kind != WordKind::kNumber) return std::nullopt;
  constexpr double kMost = 1e15;
  double number = 0;
  const char* end = word.text.data() + word.text.size();
  const auto read = std::from_chars(word.text.data(), end, number, std::chars_format::fixed);
  if (read.ec != std::errc() || read.ptr != end || !(std::abs(number) <= kMost)) return std::nullopt;
  return number;
}

std::string join_words(ClauseWords words) {
  std::string text;
  const PlainWord* last = nullptr;
  for (const PlainWord& word : words) {
    const bool glued = word.text == "'s" || word.kind == WordKind::kHan || (last && last->kind == WordKind::kHan);
    if (last != nullptr && !glued) text += ' ';
    text += word.text;
    last = &word;
  }
  return text;
}

bool is_uncountable_noun(std::string_view noun) {
  static const LexiconWords set = lexicon_both_words("games", "no property");
  return set.contains(noun);
}

}  // namespace weft
