#pragma once

#include <string_view>
#include <vector>

#include "text/words.h"

namespace weft {

/// The different words of a text, in the form of the index, for comparing texts by what they share.
class WordSet {
 public:
  WordSet() = default;
  explicit WordSet(std::string_view text);

  bool empty() const { return terms_.empty(); }
  const std::vector<Term>& terms() const { return terms_; }  ///< in ascending order
  bool has(Term term) const;
  void add(const WordSet& other);

  /// Share of these words that stand in the other, 0 to 1; 0 for no words.
  double share_in(const WordSet& other) const;
  /// What both share of what either has (Jaccard), 0 to 1.
  double likeness(const WordSet& other) const;

 private:
  std::size_t common(const WordSet& other) const;
  std::vector<Term> terms_;
};

}  // namespace weft
