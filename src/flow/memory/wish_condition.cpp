#include "flow/memory/wish_condition.h"

#include <algorithm>
#include <span>

#include "flow/memory/statement_readers.h"
#include "text/lexicon.h"
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

bool begins_word(View text, std::size_t at) { return at == 0 || text[at - 1] == ' ' || text[at - 1] == ','; }

// From the word that opens it to the next comma.
ConditionedWish english(const std::string& text) {
  const auto [at, size] = first_of(text, lexicon("en/wishes", "occasion"));
  if (at == View::npos || !begins_word(text, at)) return {text, {}};
  const std::size_t end = std::min(text.find(',', at), text.size());
  std::string rest = text.substr(0, at);
  if (end < text.size()) rest += text.substr(end + 1);
  return {std::string(trim_words(rest, " ,.")), std::string(trim_words(text.substr(at, end - at), " ,."))};
}

// What stands before 的时候 or 时, in a clause that has 我 in it.
ConditionedWish chinese(const std::string& text) {
  const auto [at, size] = first_of(text, lexicon("zh/wishes", "at the time"));
  if (at == View::npos) return {text, {}};
  const std::size_t mark = text.substr(0, at).rfind("，");
  const std::size_t begin = mark == std::string::npos ? 0 : mark + View("，").size();
  const std::string condition = text.substr(begin, at - begin);
  if (condition.find("我") == std::string::npos) return {text, {}};
  return {std::string(trim_words(text.substr(0, begin) + text.substr(at + size), " ，,。")), condition};
}

}  // namespace

ConditionedWish read_wish_condition(std::string_view wish) {
  const std::string text = normalize(wish);
  return language_of(wish) == Language::kChinese ? chinese(text) : english(text);
}

}  // namespace weft
