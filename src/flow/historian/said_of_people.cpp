#include "flow/historian/said_of_people.h"

#include <algorithm>
#include <string>

#include "flow/historian/noun_words.h"
#include "flow/historian/people_words.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"

namespace weft {
namespace {

std::string_view word_at(const LatinWords& words, std::size_t i) {
  return i < words.size() && words[i].is_word ? std::string_view(words[i].lower) : std::string_view();
}

bool is_be(std::string_view word) {
  static const LexiconWords kBe = {"are", "were", "be", "been", "aren't", "weren't", "seem", "seemed", "get", "got"};
  return kBe.contains(word);
}

// "Offering" → "offer", "deciding" → "decide".
template <class List>
bool has_form(const List& is_in_list, std::string_view word) {
  if (is_in_list(word)) return true;
  if (word.size() < 6 || !word.ends_with("ing")) return false;
  const std::string stem(word.substr(0, word.size() - 3));
  return is_in_list(stem) || is_in_list(stem + "e");
}

bool is_verb_of_firms(std::string_view word) {
  static const LexiconWords verbs = lexicon_words("en/people", "verbs of firms");
  return verbs.contains(word);
}

bool is_done_to_people(std::string_view word) {
  static const LexiconWords verbs = lexicon_words("en/people", "done to people");
  return verbs.contains(word);
}

SaidOf by_verb(const LatinWords& words, std::size_t i) {
  constexpr std::size_t kFar = 5;
  static const LexiconWords kStates = lexicon_words("en/people", "states of people");
  const std::string_view self = word_at(words, i);
  bool being = self.ends_with("'re");
  for (std::size_t k = i + 1; k <= i + kFar && !word_at(words, k).empty(); ++k) {
    const std::string_view word = word_at(words, k);
    if (has_form(is_verb_of_people, word)) return SaidOf::kPeople;
    if (has_form(is_verb_of_firms, word)) return SaidOf::kFirms;
    if (being && (kStates.contains(word) || is_plural_person(word))) return SaidOf::kPeople;
    being = being || is_be(word);
    const bool between = is_modal(word) || is_auxiliary(word) || is_mid_adverb(word) || is_be(word) || word == "not" ||
                         word == "to" || word == "very" || word == "going" || word == "gonna" || word == "might" ||
                         (being && (word == "my" || word == "a" || word == "like"));
    if (!between) break;
  }
  return SaidOf::kAnything;
}

SaidOf by_noun(const LatinWords& words, std::size_t i) {
  constexpr std::size_t kFar = 3;
  static const LexiconWords kTheirs = lexicon_words("en/people", "what people have");
  for (std::size_t k = i + 1; k <= i + kFar && !word_at(words, k).empty(); ++k) {
    const std::string_view word = without_possessive(word_at(words, k));
    if (kTheirs.contains(word) || relatives().contains(word) || is_plural_person(word)) return SaidOf::kPeople;
    if (no_nouns().contains(word)) break;
  }
  return SaidOf::kAnything;
}

SaidOf by_what_is_done(const LatinWords& words, std::size_t i) {
  static const LexiconWords kOfTwo = lexicon_words("en/references", "of two objects");
  static const LexiconWords kSent = {"send", "sent",   "sending", "show",    "showed", "showing", "pay", "paid",
                                     "buy",  "bought", "offer",   "offered", "bring",  "brought", "get", "got"};
  static const LexiconWords kThings = {"a", "an", "the", "my", "our", "some", "money", "something"};
  if (i == 0) return SaidOf::kAnything;
  const std::string_view before = word_at(words, i - 1);
  if (has_form(is_done_to_people, before)) return SaidOf::kPeople;
  const bool two = (kOfTwo.contains(before) || kSent.contains(before)) && kThings.contains(word_at(words, i + 1));
  return two ? SaidOf::kPeople : SaidOf::kAnything;
}

}  // namespace

SaidOf said_of(const LatinWords& words, const Reference& reference) {
  switch (reference.form) {
    case PronounForm::kSubject: return by_verb(words, reference.word);
    case PronounForm::kDeterminer: return by_noun(words, reference.word);
    case PronounForm::kObject: return by_what_is_done(words, reference.word);
    default: return SaidOf::kAnything;
  }
}

bool speaks_of_anybody(const LatinWords& words, std::size_t begin, std::size_t end) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool other = i + 1 < words.size() && words[i + 1].lower == "other";  // "each other"
    if (words[i].begin >= begin && words[i].end <= end && is_anybody(words[i].lower) && !other) return true;
  }
  return false;
}

}  // namespace weft
