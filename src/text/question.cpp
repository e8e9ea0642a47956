#include "text/question.h"

#include <algorithm>

#include "text/latin_words.h"
#include "text/references.h"
#include "text/utf8.h"

namespace weft {
namespace {

// With more words than this, function words not counted, a question carries facts.
constexpr std::size_t kMostWords = 12;
constexpr std::size_t kMostBytes = 600;

// The text without blanks and without a last part in square brackets, which stands for an attached picture or file.
std::string_view without_attachment(std::string_view text) {
  const auto trim = [&text] {
    while (!text.empty() && std::string_view(" \t\r\n\"'").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
  };
  trim();
  if (text.ends_with(']')) {
    if (const auto begin = text.rfind('['); begin != std::string_view::npos) text = text.substr(0, begin);
  }
  trim();
  return text;
}

constexpr std::string_view kAskingEn[] = {"who",   "whom",   "whose", "what",    "which", "when",
                                          "where", "what's", "who's", "where's", "when's"};
// Verbs that a question begins with where its answer is yes or no.
constexpr std::string_view kVerbsEn[] = {"do", "did", "does", "am", "is", "are", "was", "were", "have", "has", "had"};
constexpr std::string_view kAdviceEn[] = {"how", "should", "shall", "can",  "could", "would",
                                          "may", "might",  "must",  "need", "why",   "if"};
constexpr std::string_view kAskingZh[] = {"哪", "什么", "谁", "几", "多少", "何时", "吗", "是不是", "有没有"};
constexpr std::string_view kAdviceZh[] = {"怎么",     "怎样",   "如何", "该",   "应当", "可以", "能不能",
                                          "可不可以", "为什么", "帮我", "给我", "替我", "如果"};

// The question word is among the first words, and nothing makes a request for advice of it.
bool asks_for_a_fact(const LatinWords& words) {
  constexpr std::size_t kFirst = 3;
  bool asks = false;
  std::size_t place = 0;
  for (const LatinWord& word : words) {
    if (!word.is_word) continue;
    const auto is = [&word](const auto& list) {
      return std::find(std::begin(list), std::end(list), word.lower) != std::end(list);
    };
    if (is(kAdviceEn)) return false;
    asks = asks || (place < kFirst && is(kAskingEn)) || (place == 0 && is(kVerbsEn));
    ++place;
  }
  return asks;
}

bool speaks_of_oneself(std::string_view said) {
  const std::vector<Reference> found = find_references(said, {});
  return std::any_of(found.begin(), found.end(), [](const Reference& one) { return one.person == 1; });
}

}  // namespace

bool is_bare_question(std::string_view text) {
  const std::string_view said = without_attachment(text);
  if (said.size() > kMostBytes || !(said.ends_with('?') || said.ends_with("\uff1f"))) return false;
  const auto words = index_words(said);
  // Chinese gives each character and each pair, about two terms for a character and three for a word.
  const bool chinese = language_of(said) == Language::kChinese;
  return words.size() <= (chinese ? kMostWords * 3 : kMostWords);
}

bool asks_about_oneself(std::string_view text) {
  const std::string_view said = without_attachment(text);
  if (said.size() > kMostBytes || !speaks_of_oneself(said)) return false;
  if (language_of(said) == Language::kChinese) {
    const auto has = [said](const auto& words) {
      return std::any_of(std::begin(words), std::end(words),
                         [said](std::string_view word) { return said.find(word) != std::string_view::npos; });
    };
    return has(kAskingZh) && !has(kAdviceZh);
  }
  return asks_for_a_fact(read_latin_words(said, {}));
}

bool only_asks(std::string_view text) {
  return is_bare_question(text) && (!speaks_of_oneself(without_attachment(text)) || asks_about_oneself(text));
}

Term question_mark_term() {
  static const Term term = term_of("?");
  return term;
}

Term chinese_term() {
  static const Term term = term_of("?zh");
  return term;
}

}  // namespace weft
