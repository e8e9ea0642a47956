#include "flow/historian/english_names.h"

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
