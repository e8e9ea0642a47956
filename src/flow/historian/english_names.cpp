#include "flow/historian/english_names.h"

#include "base/ascii.h"
#include "flow/historian/noun_words.h"
#include "flow/historian/people_words.h"
#include "text/english_verbs.h"
#include "text/function_words.h"
#include "text/given_names.h"

namespace weft {

bool EnglishNames::nounlike(std::size_t k) const {
  if (k >= words_.size() || !words_[k].is_word) return false;
  const std::string& word = words_[k].lower;
  if (no_nouns().contains(word) || is_modal(word) || is_auxiliary(word) || is_mid_adverb(word)) return false;
  return word.find('\'') == std::string::npos || word.size() - word.find('\'') > 3;
}

bool EnglishNames::in_phrase(std::size_t k) const {
  static const NounWords kPraise = {"good", "great", "nice", "cool", "amazing"};
  return nounlike(k) || (k < words_.size() && kPraise.contains(words_[k].lower) && nounlike(k + 1));
}

// Who writes without capitals writes names so, too: those that are nothing else are read as names.
bool EnglishNames::small_name(std::size_t k) const {
  NameGender gender = NameGender::kUnknown;
  return no_capitals_ && words_[k].lower.size() > 3 && !names_that_are_words().contains(words_[k].lower) &&
         is_first_name(words_[k].lower, gender) && gender != NameGender::kUnknown && !is_base_verb(words_[k].lower) &&
         !is_function_word(words_[k].lower);
}

bool EnglishNames::is_small_surname(std::size_t i, std::size_t k) const {
  return small_name(i) && nounlike(k) && words_[k].lower.size() > 2 && !is_verb_form(words_[k].lower) &&
         !is_function_word(words_[k].lower) && !is_plural_noun(words_[k].lower);
}

// No word of any list: where a name is asked for, it is one.
bool EnglishNames::unheard(std::size_t k) const {
  if (!nounlike(k)) return false;
  const std::string_view word = without_possessive(words_[k].lower);
  if (word.size() < 3 || is_digit(word.front()) || words_[k].protected_by_span) return false;
  const bool thing = place_nouns().contains(word) || empty_heads().contains(word) || collectives().contains(word) ||
                     firms().contains(word) || determiners().contains(word) || no_names().contains(word);
  const bool person = relatives().contains(word) || is_role(word) || is_plural_person(word) || is_animal(word);
  return !thing && !person && !is_verb_form(word) && !is_function_word(word) && !is_plural_noun(word) &&
         !is_plural_animal(word) && !word.ends_with("ing");
}

// Whether a name is all that can stand at `i`: "named …", "my favorite singer is …", "i married …", "i like … he is".
bool EnglishNames::asks_for_name(std::size_t i) const {
  if (i == 0) return false;
  const auto at = [&](std::size_t k) { return k < words_.size() ? std::string_view(words_[k].lower) : ""; };
  const std::string_view before = at(i - 1);
  const bool is = before == "is" || before == "was" || before == "be";
  if (before == "named" || (is && i > 1 && at(i - 2) == "name")) return true;
  const std::size_t behind = i + (unheard(i + 1) ? 2 : 1);
  if (is && i > 1) {
    static const NounWords kEnds = {"", ".", ",", "!", "?", ";", "and", "but", "lol", "he", "she"};
    const bool somebody = relatives().contains(at(i - 2)) || is_role(at(i - 2));
    return somebody && i > 2 && kEnds.contains(at(behind)) && behind == i + 2;
  }
  static const NounWords kMarry = {"married", "marry", "dating", "met"};
  static const NounWords kGoOn = {"", ".", "!", "the", "and", "who", "he", "she"};
  if (kMarry.contains(before)) return kGoOn.contains(at(behind));
  static const NounWords kLike = {"like", "likes", "love", "loves", "adore", "admire", "know", "miss", "hate"};
  const std::string_view be = at(behind + 1);
  return kLike.contains(before) && (at(behind) == "he" || at(behind) == "she") &&
         (be == "is" || be == "was" || be == "has" || is_modal(be));
}

std::size_t EnglishNames::small_run(std::size_t i) const {
  if (!no_capitals_ || words_[i].protected_by_span) return 0;
  NameGender gender = NameGender::kUnknown;
  const bool first = is_first_name(words_[i].lower, gender);
  if (asks_for_name(i) && (first || unheard(i))) return unheard(i + 1) ? 2 : 1;
  // "taylor swift": a first name of either that is no other word, and another name.
  const bool led = i > 0 && determiners().contains(words_[i - 1].lower);
  return first && !led && gender == NameGender::kUnknown && words_[i].lower.size() > 3 &&
                 !names_that_are_words().contains(words_[i].lower) && unheard(i + 1)
             ? 2
             : 0;
}

bool EnglishNames::is_acronym(std::size_t i) const {
  const LatinWord& word = words_[i];
  const std::string_view name = without_possessive(word.lower);
  if (!word.all_capitals || name.size() < 2 || name.size() > 6 || word.protected_by_span) return false;
  const auto shouted = [&](std::size_t k) { return k < words_.size() && words_[k].all_capitals; };
  if ((i > 0 && shouted(i - 1)) || shouted(i + 1) || no_names().contains(name)) return false;
  static const NounWords kThings = lexicon_words("en/nouns", "initials of things");
  if (kThings.contains(name) || nounlike(i + 1)) return false;
  if (i == 0 || name.size() < word.lower.size()) return true;
  static const NounWords kLeads = {"with",    "at",   "by",     "from",   "to",   "for",  "of",    "about", "and",
                                   "contact", "call", "called", "follow", "join", "like", "asked", "tell"};
  return kLeads.contains(words_[i - 1].lower) || word.starts_sentence;
}

bool EnglishNames::capital_name(std::size_t k) const {
  if (k >= words_.size() || !words_[k].is_word) return false;
  if (small_name(k)) return true;
  if (!words_[k].capital || words_[k].all_capitals) return false;
  return !no_names().contains(words_[k].lower) && !no_nouns().contains(words_[k].lower) &&
         !determiners().contains(words_[k].lower);
}

// "T." of "Jonathan T. Miller".
bool EnglishNames::is_initial(std::size_t k) const {
  return k + 1 < words_.size() && words_[k].lower.size() == 1 && words_[k].capital && words_[k + 1].lower == ".";
}

// "Canadians", "Italians".
bool EnglishNames::names_a_people(std::size_t i) const {
  const std::string& word = words_[i].lower;
  return words_[i].capital && word.size() > 5 && word.ends_with("ans");
}

}  // namespace weft
