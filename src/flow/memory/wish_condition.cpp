#include "flow/memory/wish_condition.h"

#include <algorithm>
#include <span>

#include "flow/memory/statement_readers.h"
#include "text/lexicon.h"
#include "text/spaced_words.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

// The first place at which one of the phrases stands, and its size; none: npos.
std::pair<std::size_t, std::size_t> first_of(View text, std::span<const View> phrases) {
  std::pair<std::size_t, std::size_t> first{View::npos, 0};
  for (const View phrase : phrases)
    if (const auto at = text.find(phrase); at < first.first) first = {at, phrase.size()};
  return first;
}

// Where in a row of words one of the phrases stands; none: npos.
std::size_t place_of(const SpacedPhrases& phrases, View row) {
  for (std::size_t at = 0; at + 1 < row.size(); at = row.find(' ', at + 1))
    if (!phrases.begin_of(row.substr(at)).empty()) return at;
  return View::npos;
}

// From the words that open it to the next comma.
ConditionedWish english(const std::string& text) {
  static const SpacedPhrases openings(lexicon("en/wishes", "occasion"));
  ConditionedWish read;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string row = spaced_words(View(text).substr(begin, end - begin), "!?\"()");
    const std::size_t at = read.condition.empty() ? place_of(openings, row) : View::npos;
    if (at != View::npos) read.condition = trim_words(View(row).substr(at));
    read.wish += row.substr(0, at);
    begin = end + 1;
  }
  return read.condition.empty() ? ConditionedWish{text, {}} : read;
}

// From 我 to 的时候 or 时, in one clause.
ConditionedWish chinese(const std::string& text) {
  const auto [at, size] = first_of(text, lexicon("zh/wishes", "at the time"));
  if (at == View::npos) return {text, {}};
  const std::size_t mark = text.substr(0, at).rfind("，");
  const std::size_t begin = text.find("我", mark == std::string::npos ? 0 : mark);
  if (begin >= at) return {text, {}};
  return {std::string(trim_marks(text.substr(0, begin) + text.substr(at + size))), text.substr(begin, at - begin)};
}

}  // namespace

ConditionedWish read_wish_condition(std::string_view wish) {
  const std::string text = normalize(wish);
  return language_of(wish) == Language::kChinese ? chinese(text) : english(text);
}

}  // namespace weft
