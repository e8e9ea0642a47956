#include "flow/historian/noun_words.h"

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

bool is_plural_noun(std::string_view word) {
  static const NounWords kPlural = {"people", "children", "men", "women", "folks", "police", "mice", "feet", "teeth"};
  static const NounWords kSingular = {"bus", "news", "series", "canvas", "christmas", "campus",  "tennis",
                                      "yes", "gas",  "focus",  "chess",  "virus",     "physics", "lens"};
  if (kPlural.contains(word)) return true;
  if (kSingular.contains(word) || word.size() < 3) return false;
  return word.back() == 's' && word[word.size() - 2] != 's' && word[word.size() - 2] != '\'';
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
