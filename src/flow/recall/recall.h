#pragma once

#include <cstdint>
#include <vector>

#include "flow/recall/fusion.h"
#include "flow/recall/query.h"
#include "ports/index/scope_index.h"
#include "weft/memory.h"
#include "weft/result.h"

namespace weft {

/// Question → items of one scope.
///
/// Takes the index of a scope, a question with its filters and, where there is an embedder, the vector of
/// `text_to_embed`; gives at most `top_k` rows, ordered by score and on equal scores by row, so that the same index
/// gives the same answer. Of a long message the best part stands for all. Filters hold before anything is ranked. Cost:
/// one pass over the vectors and a few over the units; no copy of the index. Safe from many threads. Fails with
/// kInvalidArgument only. Without a vector, words alone decide; without either there are no results.
Result<std::vector<ScoredRow>> recall(const ScopeIndex& index, const RecallQuery& query, const Recipe& recipe);

/// The same for a question that was read already.
Result<std::vector<ScoredRow>> recall(const ScopeIndex& index, const RecallQuery& query, const QueryText& text,
                                      const Recipe& recipe);

/// Whether the item was known and held at that moment.
bool held_at(const Item& item, Time moment);

}  // namespace weft
