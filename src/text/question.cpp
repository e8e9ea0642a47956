#include "text/question.h"

#include <algorithm>

#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/references.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

// With more words than this, function words not counted, a question carries facts.
constexpr std::size_t kMostWords = 12;
constexpr std::size_t kMostBytes = 600;

// The text without blanks and without a last part in square brackets, which stands for an attached picture or file.
std::string_view without_attachment(std::string_view text) {
  const auto without_end = [](std::string_view whole) {
    return whole.substr(0, whole.find_last_not_of(" \t\r\n\"'") + 1);
  };
  text = without_end(text);
  if (text.ends_with(']'))
    if (const auto begin = text.rfind('['); begin != std::string_view::npos) text = text.substr(0, begin);
  return without_end(text);
}

// The question word is among the first words, and nothing makes a request for advice of it.
bool asks_for_a_fact(const LatinWords& words) {
  static const LexiconWords advice = lexicon_words("en/questions", "advice words"),
                            facts = lexicon_words("en/questions", "fact words"),
                            verbs = lexicon_words("en/questions", "verbs of asking");
  constexpr std::size_t kFirst = 3;
  bool asks = false;
  std::size_t place = 0;
  for (const LatinWord& word : words) {
    if (!word.is_word) continue;
    if (advice.contains(word.lower)) return false;
    asks = asks || (place < kFirst && facts.contains(word.lower)) || (place == 0 && verbs.contains(word.lower));
    ++place;
  }
  return asks;
}

bool speaks_of_oneself(std::string_view said, const LatinWords& words) {
  const auto is_first = [](const Reference& one) { return one.person == 1; };
  const auto any = [&](const std::vector<Reference>& found) {
    return std::any_of(found.begin(), found.end(), is_first);
  };
  return any(find_english_references(words)) || any(find_chinese_references(said, {}));
}

// Whether a text asks for a fact of the asker's own life: "Where do I live?", 我住在哪里？ Questions for advice ("How
// do I …?", 我该怎么…) and requests do not count: their answer is common knowledge.
bool asks_about_oneself(std::string_view said, const LatinWords& words) {
  if (!speaks_of_oneself(said, words)) return false;
  if (language_of(said) != Language::kChinese) return asks_for_a_fact(words);
  const auto has = [said](const auto& list) {
    return std::any_of(std::begin(list), std::end(list),
                       [said](std::string_view word) { return said.find(word) != std::string_view::npos; });
  };
  return has(lexicon("zh/questions", "fact words")) && !has(lexicon("zh/questions", "advice words"));
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

// "How do I", "tell me" and their kind ask for something that anybody could ask.
bool speaks_of_who_asks(std::string_view text) {
  constexpr int kSpeaks = 1, kOnlyAsks = 2;
  static const PhraseTable kSpeaker = [] {
    PhraseTable table;
    table.add_list("people", "the speaker", kSpeaks);
    table.add_list("people", "asks for the speaker", kOnlyAsks);
    return table;
  }();
  const std::vector<PlainWord> words = plain_words(text);
  for (std::size_t i = 0; i < words.size();) {
    std::size_t length = 0;
    int longest = 0;
    kSpeaker.for_each(words, i, [&](std::size_t count, int value) {
      if (count > length) length = count, longest = value;
    });
    if (longest == kSpeaks) return true;
    i += std::max<std::size_t>(length, 1);
  }
  return false;
}

bool only_asks(std::string_view text) {
  if (!is_bare_question(text)) return false;
  const std::string_view said = without_attachment(text);
  const LatinWords words = read_latin_words(said, {});
  return !speaks_of_oneself(said, words) || asks_about_oneself(said, words);
}

TermSet listed_terms(std::string_view file, std::string_view list) {
  std::vector<Term> all;
  for (const std::string_view entry : lexicon_both(file, list)) {
    const std::vector<Term> terms = index_terms(entry);
    all.insert(all.end(), terms.begin(), terms.end());
  }
  return TermSet(std::move(all));
}

Term question_mark_term() {
  static const Term term = term_of("?");
  return term;
}

Term chinese_term() {
  static const Term term = term_of("?zh");
  return term;
}

bool knows_no_answer(std::string_view text) {
  constexpr std::size_t kLongest = 240;
  if (text.size() > kLongest) return false;
  if (language_of(text) == Language::kChinese) return holds_any(text, lexicon("zh/questions", "no answers"));
  static const SpacedPhrases phrases(lexicon("en/questions", "no answers"));
  return phrases.any_in(spaced_words(normalize(text), ".,;:!?\"()"));
}

}  // namespace weft
