#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace weft
