#include "flow/context/word_set.h"

#include <algorithm>
#include <iterator>

namespace weft {

WordSet::WordSet(std::string_view text) : terms_(index_terms(text)) {
  std::sort(terms_.begin(), terms_.end());
  terms_.erase(std::unique(terms_.begin(), terms_.end()), terms_.end());
}

bool WordSet::has(Term term) const { return std::binary_search(terms_.begin(), terms_.end(), term); }

void WordSet::add(const WordSet& other) {
  std::vector<Term> both;
  std::set_union(terms_.begin(), terms_.end(), other.terms_.begin(), other.terms_.end(), std::back_inserter(both));
  terms_ = std::move(both);
}

std::size_t WordSet::common(const WordSet& other) const {
  std::size_t shared = 0;
  for (auto a = terms_.begin(), b = other.terms_.begin(); a != terms_.end() && b != other.terms_.end();) {
    if (*a == *b) ++shared;
    const bool forward = *a <= *b;
    const bool other_forward = *b <= *a;
    if (forward) ++a;
    if (other_forward) ++b;
  }
  return shared;
}

double WordSet::share_in(const WordSet& other) const {
  return terms_.empty() ? 0 : static_cast<double>(common(other)) / static_cast<double>(terms_.size());
}

double WordSet::likeness(const WordSet& other) const {
  const std::size_t shared = common(other);
  const std::size_t either = terms_.size() + other.terms_.size() - shared;
  return either == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(either);
}

}  // namespace weft
