#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "flow/context/candidates.h"

namespace weft {

/// What speaks for a candidate where no model is asked. Chosen by trial on questions about long dialogues: much more
/// for the words helps where the pool was found by words alone, and harms where the search has weighed them already.
struct FeatureWeights {
  double score = 1;      ///< its score by the weight of its chain, in proportion to the pool's best
  double names = 0.3;    ///< share of the plan's keywords it names
  double words = 0.25;    ///< share of the query's words it holds, each by its rarity in the pool
  double recency = 0.05;  ///< 1 for the pool's newest, 0 for its oldest; reversed where the plan looks at the past
  double diversity = 0.2;  ///< taken for words that it shares with what is chosen already
};

/// Places in the pool of at most `most` candidates, the best first: each time the one that has most to say for itself
/// and least in common with those chosen before (maximal marginal relevance). Deterministic; looks at previews only.
std::vector<std::size_t> select_by_features(const CandidatePool& pool, const PlanContext& plan, std::size_t most,
                                            const FeatureWeights& weights = {});

/// Places of the `most` candidates nearest to the query by vectors; the first of the pool where no vectors took part.
std::vector<std::size_t> select_by_similarity(const CandidatePool& pool, std::size_t most);

}  // namespace weft
