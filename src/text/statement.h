#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/plain_words.h"
#include "text/words.h"

namespace weft {

/// What a text says, in a form in which two texts can be compared: every word that carries meaning in its order,
/// numbers and dates in one spelling, without what says nothing (articles, intensifiers, "by the way", 请记住, final
/// particles, greetings around it, a sentence said again). Names, numbers, tense, negation, direction and question
/// marks all stay: what differs in one of them says something else.
///
/// Value type; 4 bytes a word that is kept. Building is linear, comparing too for equal texts; reordered ones are
/// compared only up to 64 words.
class Statement {
 public:
  explicit Statement(std::string_view text);

  /// Whether both say the same: the same words in the same order; but the only expression of time may stand anywhere, a
  /// phrase that begins with a preposition may move, and two parts around "and" may change places.
  bool says_the_same(const Statement& other) const;

  /// Equal for statements that say the same; others share one only by chance (64 bits) or if they have the same words.
  std::uint64_t key() const { return key_; }

  /// Nothing but marks.
  bool empty() const { return words_.empty() && times_.empty(); }

  /// It counts from the day it is said ("yesterday", 下周一): said on another day it is another statement.
  bool relative_time() const { return relative_; }

  /// Words that are kept.
  std::size_t size() const { return words_.size() + times_.size(); }

 private:
  std::vector<Term> words_;  ///< in order, without `times_`
  std::vector<Term> times_;  ///< the only expression of time
  std::uint64_t key_ = 0;
  bool relative_ = false;
};

/// The words of a text that carry what it says, in order: numerals, dates, units, spelling and auxiliaries in one form,
/// a question ends with "?"; without small talk around it, introductions, intensifiers, articles and what was said
/// before in the same text. If nothing would be left, all words. Linear.
std::vector<PlainWord> statement_words(std::string_view text);

}  // namespace weft
