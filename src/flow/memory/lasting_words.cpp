#include "flow/memory/lasting_words.h"

namespace weft {

const VerbWords& inner_verbs() {
  static const VerbWords words = lexicon_words("en/lasting", "inner verbs");
  return words;
}

const VerbWords& life_verbs() {
  static const VerbWords words = lexicon_words("en/lasting", "life verbs");
  return words;
}

const VerbWords& coming_events() {
  static const VerbWords words = lexicon_words("en/lasting", "coming events");
  return words;
}

const VerbWords& talk_verbs() {
  static const VerbWords words = lexicon_words("en/lasting", "talk verbs");
  return words;
}

const VerbWords& events() {
  static const VerbWords words = lexicon_words("en/lasting", "events");
  return words;
}

const VerbWords& pursuits() {
  static const VerbWords words = lexicon_words("en/lasting", "pursuits");
  return words;
}

const VerbWords& passing_pursuits() {
  static const VerbWords words = lexicon_words("en/lasting", "passing pursuits");
  return words;
}

const VerbWords& lasting_states() {
  static const VerbWords words = lexicon_words("en/lasting", "lasting states");
  return words;
}

const VerbWords& had_in_talks() {
  static const VerbWords words = lexicon_words("en/lasting", "had in talks");
  return words;
}

const VerbWords& telling_things() {
  static const VerbWords words = lexicon_words("en/lasting", "telling things");
  return words;
}

const VerbWords& skills() {
  static const VerbWords words = lexicon_words("en/lasting", "skills");
  return words;
}

const VerbWords& standing_verbs() {
  static const VerbWords words = lexicon_words("en/lasting", "standing verbs");
  return words;
}

}  // namespace weft
