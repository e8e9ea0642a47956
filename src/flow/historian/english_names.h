#pragma once

#include <cstddef>

#include "text/latin_words.h"

namespace weft {

/// Which words of an English text are written as names. Refers to the words; each question costs constant time.
class EnglishNames {
 public:
  EnglishNames(const LatinWords& words, bool no_capitals) : words_(words), no_capitals_(no_capitals) {}

  /// Whether a word may stand in a noun phrase.
  bool nounlike(std::size_t k) const;

  /// The same, or a word that praises what follows: "my good friend".
  bool in_phrase(std::size_t k) const;

  /// Whether a word is a name by its capital, or by what it is where nobody writes capitals.
  bool capital_name(std::size_t k) const;

  /// "swift" of "taylor swift".
  bool is_small_surname(std::size_t i, std::size_t k) const;

  /// How many words from `i` on are a name by where they stand, in a text without capitals: "named redfoo", "taylor
  /// swift", "i like marshal he is"; 0 where none are.
  std::size_t small_run(std::size_t i) const;

  /// "NASA", where not everything is shouted and something is said of it or done with it.
  bool is_acronym(std::size_t i) const;

  /// "T." of "Jonathan T. Miller".
  bool is_initial(std::size_t k) const;

  /// "Canadians", "Italians".
  bool names_a_people(std::size_t i) const;

 private:
  bool small_name(std::size_t k) const;
  bool unheard(std::size_t k) const;
  bool asks_for_name(std::size_t i) const;

  const LatinWords& words_;
  bool no_capitals_;
};

}  // namespace weft
