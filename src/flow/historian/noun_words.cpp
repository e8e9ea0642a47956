#include "flow/historian/noun_words.h"

#include <algorithm>

#include "flow/historian/people_words.h"
#include "text/english_verbs.h"

namespace weft {

const NounWords& place_nouns() {
  static const NounWords words = lexicon_words("en/nouns", "place nouns");
  return words;
}

const NounWords& empty_heads() {
  static const NounWords words = lexicon_words("en/nouns", "empty heads");
  return words;
}

const NounWords& no_nouns() {
  static const NounWords words = lexicon_words("en/nouns", "no nouns");
  return words;
}

const NounWords& determiners() {
  static const NounWords words = lexicon_words("en/nouns", "determiners");
  return words;
}

const NounWords& collectives() {
  static const NounWords words = lexicon_words("en/nouns", "collectives");
  return words;
}

const NounWords& firms() {
  static const NounWords words = lexicon_words("en/nouns", "firms");
  return words;
}

const NounWords& before_asides() {
  static const NounWords words = lexicon_words("en/nouns", "before an aside");
  return words;
}

const NounWords& before_predicates() {
  static const NounWords words = lexicon_words("en/nouns", "before a predicate");
  return words;
}

const NounWords& before_places() {
  static const NounWords words = lexicon_words("en/nouns", "before a place");
  return words;
}

const NounWords& before_nouns() {
  static const NounWords words = lexicon_words("en/nouns", "before a noun");
  return words;
}

std::string_view without_possessive(std::string_view name) {
  for (const std::string_view end : {"'s", "’s"}) {
    if (name.size() > end.size() && name.substr(name.size() - end.size()) == end) name.remove_suffix(end.size());
  }
  return name;
}

bool is_plural_noun(std::string_view word) {
  static const NounWords kPlural = {"people", "children", "men", "women", "folks", "police", "mice", "feet", "teeth"};
  static const NounWords kSingular = {"bus", "news", "series", "canvas", "christmas", "campus",  "tennis",
                                      "yes", "gas",  "focus",  "chess",  "virus",     "physics", "lens"};
  if (kPlural.contains(word)) return true;
  if (kSingular.contains(word) || word.size() < 3) return false;
  if (word.size() > 4 && word.substr(word.size() - 3) == "ous") return false;  // "famous"
  return word.back() == 's' && word[word.size() - 2] != 's' && word[word.size() - 2] != '\'';
}

bool names_several_things(const LatinWords& words, std::size_t begin, std::size_t end) {
  return std::any_of(words.begin(), words.end(), [&](const auto& word) {
    return word.is_word && word.begin >= begin && word.end <= end && is_plural_noun(word.lower) &&
           !is_plural_person(word.lower) && !no_nouns().contains(word.lower) && !no_names().contains(word.lower) &&
           !is_verb_form(word.lower) && !is_mid_adverb(word.lower) && !is_plural_animal(word.lower) &&
           word.lower.find('\'') == std::string::npos;
  });
}

bool is_verb_form(std::string_view word) {
  if (is_base_verb(word)) return true;
  if (word.size() > 3 && word.back() == 's') {
    if (is_base_verb(word.substr(0, word.size() - 1))) return true;
    if (word.substr(word.size() - 2) == "es" && is_base_verb(word.substr(0, word.size() - 2))) return true;
  }
  return is_past_form(word);
}

}  // namespace weft
