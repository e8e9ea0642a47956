#include "flow/historian/phrase_end.h"

#include <string>

#include "flow/historian/noun_words.h"
#include "flow/historian/people_words.h"
#include "flow/historian/phrase_place.h"
#include "text/english_verbs.h"
#include "text/function_words.h"
#include "text/given_names.h"

namespace weft {
namespace {

bool asks_for_noun(std::string_view word) {
  return before_nouns().contains(word) || (is_base_verb(word) && !is_auxiliary(word));
}

// Whether the word at `k`, in a phrase of which something stands already, is its verb rather than its noun.
bool reads_as_verb(const LatinWords& words, const EnglishNames& written, std::size_t k) {
  if (!is_verb_form(words[k].lower)) return false;
  if (words[k].lower.size() > 3 && is_past_form(words[k].lower)) return true;
  if (is_person_noun(words[k - 1].lower) && words[k].lower.ends_with("s")) return true;  // "if a customer complains"
  if (k + 1 >= words.size() || !words[k + 1].is_word) return false;
  const std::string& next = words[k + 1].lower;
  const std::string& last = words[k - 1].lower;
  // "The customer support team": one does not "support".
  if (is_person_noun(last) && !words[k].lower.ends_with("s") && written.nounlike(k + 1)) return false;
  return !(is_auxiliary(next) || next == "of" || next == "in" || next == "at" || next == "for" || next == "and");
}

// "Does your mom live here?": in a question the verb stands behind whom it is asked of.
bool asked_of(const LatinWords& words, std::size_t i, std::size_t k) {
  if (i == 0 || !is_auxiliary(words[i - 1].lower) || !is_base_verb(words[k].lower)) return false;
  return is_person_noun(words[k - 1].lower) || is_animal(words[k - 1].lower) || is_plural_noun(words[k - 1].lower);
}

// Whether a phrase ends before `k`: "the kids playing", "my sister visiting", "my kid next year".
bool is_over(const LatinWords& words, const EnglishNames& written, std::size_t k) {
  const std::string& last = words[k - 1].lower;
  const std::string& next = words[k].lower;
  if (begins_time(words, k)) return true;
  const bool alive = relatives().contains(last) || is_plural_person(last) || is_plural_animal(last);
  return alive && next.size() > 5 && next.ends_with("ing") && !written.nounlike(k + 1);
}

// Whether a capital word behind a noun is who is meant: "my instructor Alex".
bool names_somebody(const LatinWords& words, std::size_t k) {
  NameGender gender = NameGender::kUnknown;
  return is_person_noun(words[k - 1].lower) ||
         is_first_name(words[k].lower.substr(0, without_possessive(words[k].lower).size()), gender);
}

// Whether a phrase is over before `k`, a word that could go on with it.
bool ends_phrase(const LatinWords& words, const EnglishNames& written, std::size_t i, std::size_t k) {
  return reads_as_verb(words, written, k) || (words[k].capital && names_somebody(words, k)) || asked_of(words, i, k) ||
         is_over(words, written, k);
}

}  // namespace

bool is_person_noun(std::string_view word) { return relatives().contains(word) || is_role(word); }

std::size_t end_of_phrase(const LatinWords& words, const EnglishNames& written, std::size_t i) {
  constexpr std::size_t kLongest = 5;
  static const NounWords kPointing = {"this", "that", "these", "those"};
  std::size_t end = i + 1;
  if (kPointing.contains(words[i].lower) && end < words.size() && is_verb_form(words[end].lower))
    return end;  // "that sounds", "this keeps"
  while (end < words.size() && end < i + kLongest && written.in_phrase(end) &&
         (end == i + 1 || !ends_phrase(words, written, i, end)))
    ++end;
  // "My best friend's party": of somebody.
  if (end < words.size() && end < i + kLongest && is_person_noun(without_possessive(words[end].lower))) ++end;
  while (end > i + 1 && is_past_form(words[end - 1].lower)) --end;  // "the painted", cut before its noun
  return end;
}

bool is_bare_plural(const LatinWords& words, const EnglishNames& written, std::size_t i) {
  const std::string& word = words[i].lower;
  if (words[i].capital && !words[i].starts_sentence) return false;
  const bool several = is_plural_animal(word) || (word.size() > 3 && is_plural_noun(word));
  if (!several || !written.nounlike(i) || empty_heads().contains(word) || is_function_word(word)) return false;
  if (word.find('\'') != std::string::npos) return false;
  NameGender gender = NameGender::kUnknown;
  if (is_first_name(word, gender)) return false;
  // "She plays", "he likes": a verb, unless what stands before it asks for a noun.
  return is_plural_animal(word) || !is_verb_form(word) || (i > 0 && asks_for_noun(words[i - 1].lower));
}

std::size_t skip_brackets(const LatinWords& words, std::size_t i) {
  constexpr std::size_t kLongest = 80;
  for (std::size_t k = i + 1; k < words.size() && k < i + kLongest; ++k) {
    if (words[k].lower == "]") return k + 1;
  }
  return i + 1;
}

std::size_t end_of_name(const LatinWords& words, const EnglishNames& written, std::size_t end) {
  if (end + 1 >= words.size() || words[end].lower != "of" || !written.capital_name(end + 1)) return end;
  std::size_t last = end + 2;
  while (last < words.size() && written.capital_name(last)) ++last;
  return last;
}

bool opens_title(const LatinWords& words, std::string_view text, std::size_t i) {
  const std::string_view before = text.substr(0, words[i].begin);
  return words[i].capital && (before.ends_with('"') || before.ends_with("“"));
}

}  // namespace weft
