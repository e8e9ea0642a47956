#pragma once

#include <span>
#include <vector>

#include "flow/recall/arms.h"
#include "flow/recall/ranking.h"
#include "flow/recall/recipes.h"

namespace weft {

/// What both arms found on one shelf.
struct ScoredShelf {
  const Shelf* shelf = nullptr;
  const ArmScores* arms = nullptr;
  ItemKind kind = ItemKind::kMessage;
};

/// The plain hybrid: the best `arm_top` items by cosine and the best `arm_top` by BM25, joined; an item's score is
/// `vector` · cosine + `words` / (1 + rank), rank from 0, with nothing for the arm that did not find it. Sorted; only
/// scores above `min_threshold`. Items are counted, not messages: parts of a long message compete.
std::vector<ScoredRow> rank_literal(std::span<const ScoredShelf> shelves, const Recipe& recipe, std::size_t top_k);

}  // namespace weft
