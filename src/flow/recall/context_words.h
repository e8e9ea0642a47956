#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ports/index/scope_index.h"

namespace weft {

/// Words of a question that count, the rarest first.
inline constexpr std::size_t kMostTerms = 64;

/// Arrays that are kept between searches.
struct ContextScratch {
  std::vector<float> counts;  ///< one a unit; all 0 between two words
  std::vector<std::uint32_t> touched;
  std::vector<std::pair<std::uint32_t, float>> own;
};

/// BM25 of each unit in its context, one entry a unit: a short message is understood through those around it, so each
/// lends its words to its neighbours, weighted by `kNeighbourWords` and by both shares; its length grows likewise.
/// Long messages neither give nor take. How rare a word is comes from the messages alone. Of a question with very many
/// words the rarest count.
void score_in_context(const Shelf& shelf, std::span<const WordsIndex::QueryTerm> terms, const Bm25& bm25,
                      ContextScratch& scratch, std::vector<float>& scores);

}  // namespace weft
