#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/protected_spans.h"

namespace weft {

/// The text in the form in which words are compared: NFKC, case folded, traditional Chinese as simplified and some
/// variants as one (著 as 着). For comparing only, not for showing.
std::string normalize(std::string_view text);

/// The words of a text for the index, the same for storing and for asking, in order and with repetitions:
/// for Chinese every pair of neighbouring characters and every single one, for other scripts folded words reduced
/// to their stem (plural and verb endings of English). "iphone15" also gives "iphon" and "15"; emoji are words; a word
/// ends after 128 bytes. Function words of both languages are left out unless nothing else is there. Safe from any
/// thread.
std::vector<std::string> index_words(std::string_view text);

/// A word of the index as a number (XXH3, 32 bit); what is stored and searched.
using Term = std::uint32_t;
Term term_of(std::string_view word);

/// `index_words` as terms, in order and with repetitions.
std::vector<Term> index_terms(std::string_view text);

/// A sorted set of terms.
class TermSet {
 public:
  TermSet() = default;
  explicit TermSet(std::vector<Term> terms);

  bool contains(Term term) const { return std::binary_search(terms_.begin(), terms_.end(), term); }
  TermSet without(const TermSet& others) const;
  std::size_t count_in(const TermSet& others) const;

  auto begin() const { return terms_.begin(); }
  auto end() const { return terms_.end(); }
  std::size_t size() const { return terms_.size(); }
  bool empty() const { return terms_.empty(); }

 private:
  std::vector<Term> terms_;
};

enum class Language { kEnglish, kChinese };

/// The language a text is mainly written in: Chinese where its characters make up a third or more, a word of another
/// script counting as two of them. What is neither counts as English.
Language language_of(std::string_view text);

/// A word of letters and digits with inner apostrophes and hyphens, or one mark of punctuation, or a run of another
/// script.
struct LatinWord {
  std::size_t begin = 0, end = 0;
  std::string lower;             ///< folded to lower case, ’ as '
  bool is_word = false;          ///< letters or digits
  bool protected_by_span = false;
  bool starts_sentence = false;
  bool capital = false;          ///< begins with a capital letter
  bool all_capitals = false;     ///< two letters or more, none of them small
};

/// The words of a text for English grammar; spaces are left out, everything else is there.
using LatinWords = std::vector<LatinWord>;

/// Linear; safe from any thread.
LatinWords read_latin_words(std::string_view text, const std::vector<Span>& protected_by);

/// A normalised text (see `normalize`) as a row of words: one blank between them and one at each end, " keep it short
/// ". Bytes of `gaps` and white space part words, other marks belong to them; a curly apostrophe becomes a straight
/// one. Of a text without words one blank is left.
std::string spaced_words(std::string_view normal, std::string_view gaps);

/// Phrases that are looked for in such rows as whole words. However many they are, a word of the row is looked up once.
/// Views are kept: what they stand in, as a lexicon does, must live as long. Safe from any thread.
class SpacedPhrases {
 public:
  explicit SpacedPhrases(std::span<const std::string_view> phrases);

  /// Whether one stands anywhere in the row.
  bool any_in(std::string_view row) const;
  /// The longest that the row begins with; empty where none does.
  std::string_view begin_of(std::string_view row) const;

 private:
  std::string_view longest_at(std::string_view row, std::size_t at) const;

  std::unordered_map<std::string_view, std::vector<std::string_view>> phrases_;  ///< by first word, the longest first
};

/// Whether one of them stands in the text, at the border of a word or not: for languages that set no blanks.
bool holds_any(std::string_view text, std::span<const std::string_view> phrases);

/// The form under which names of things and fields are compared: `normalize`, then letters, digits and Chinese
/// characters only, English words without their plural ending. "Max_HP" and "max hp" give "maxhp".
std::string name_key(std::string_view text);

/// The common statistic of games that a name stands for, in either language: "health", "hit points", 生命值 and 血 give
/// "hp", 金币 and "coins" give "gold". Empty for any other name. Takes what `name_key` gives. Safe from any thread.
std::string_view stat_of(std::string_view key);

/// Whether a field says how many there are of a thing: count, amount, quantity, 数量. Takes what `name_key` gives.
bool is_count_field(std::string_view key);

}  // namespace weft
