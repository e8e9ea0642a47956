#include "flow/historian/phrase_place.h"

#include <string_view>

#include "flow/historian/noun_words.h"
#include "flow/historian/people_words.h"
#include "text/english_verbs.h"

namespace weft {
namespace {

std::string_view word_at(const LatinWords& words, std::size_t i) {
  return i < words.size() ? std::string_view(words[i].lower) : std::string_view();
}

// "I like", "to like", "would really like": a verb, where "they are like" has a preposition.
bool likes(const LatinWords& words, std::size_t i) {
  if (words[i].lower != "like" || i == 0) return false;
  std::size_t before = i - 1;
  while (before > 0 && is_mid_adverb(words[before].lower)) --before;
  static const NounWords kBefore = {"i", "you", "we", "they", "to", "do", "don't", "dont", "did", "didn't"};
  return kBefore.contains(words[before].lower) || is_modal(words[before].lower);
}

}  // namespace

bool is_aside(const LatinWords& words, std::size_t i) {
  return i > 0 && before_asides().contains(words[i - 1].lower) && !likes(words, i - 1);
}

bool is_predicate(const LatinWords& words, std::size_t i) {
  const auto between = [](const std::string& word) { return is_mid_adverb(word) || word == "such" || word == "not"; };
  while (i > 1 && between(words[i - 1].lower)) --i;
  if (i > 0 && words[i - 1].lower == "what" && words[i].lower.starts_with("a")) return true;  // "What a cool kid!"
  if (i == 0 || !before_predicates().contains(words[i - 1].lower) || likes(words, i - 1)) return false;
  if (i < 2) return words[i - 1].lower == "like" || words[i - 1].lower == "as";  // "Is your mother …?"
  // "There is a man", "how is your mother", "how old is your son".
  static const NounWords kAsking = {"there", "how", "where", "why", "when"};
  const bool stands = is_auxiliary(words[i - 1].lower);
  return !(stands && (kAsking.contains(words[i - 2].lower) || (i > 2 && words[i - 3].lower == "how")));
}

bool is_subject(const LatinWords& words, std::size_t i, std::size_t end) {
  if (words[i].starts_sentence) return true;
  std::size_t next = end;
  while (next < words.size() && is_mid_adverb(words[next].lower)) ++next;
  if (next >= words.size() || !words[next].is_word) return false;
  const std::string& word = words[next].lower;
  return is_modal(word) || is_auxiliary(word) || is_verb_form(word);
}

bool is_among_people(const LatinWords& words, std::size_t i, std::size_t end) {
  std::size_t before = i;
  if (before > 0 && words[before - 1].lower == ".") --before;  // "Dr."
  const std::string_view left = before > 0 ? word_at(words, before - 1) : std::string_view();
  return before_names().contains(left) || relatives().contains(left) || behind_names().contains(word_at(words, end));
}

bool is_addressed(const LatinWords& words, std::size_t i, std::size_t end) {
  if (end != i + 1 || !(is_role(words[i].lower) || words[i].lower == "chair")) return false;
  const std::size_t title = i > 1 && words[i - 1].lower == "." ? i - 2 : i - 1;
  static const NounWords kTitles = {"mr", "mrs", "madam", "madame", "sir"};
  return i > 0 && kTitles.contains(words[title].lower);
}

bool begins_time(const LatinWords& words, std::size_t i) {
  static const NounWords kLeads = {"next", "last", "this", "every", "each"};
  static const NounWords kUnits = {"time",    "day",    "week",   "weekend", "month",   "year",     "night",
                                   "morning", "summer", "winter", "spring",  "evening", "semester", "season"};
  const std::string_view unit = word_at(words, i + 1);
  return kLeads.contains(word_at(words, i)) && (kUnits.contains(unit) || unit.ends_with("day"));
}

}  // namespace weft
