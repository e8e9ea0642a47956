#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/quest.h"

namespace weft {

/// A quest with its distance from where the walk began.
struct QuestStep {
  std::size_t index = 0;     ///< in the list of quests
  std::size_t distance = 0;  ///< edges from the start, which itself is 0
};

/// The quests within `most` edges of `start`, nearest first, in the order of the list where equally near. Edges are
/// prerequisites and successors, whichever of both ends names them; ids that are nowhere and cycles do no harm. Of
/// quests with the same id the first counts. Empty where `start` is not among them. Linear in quests and edges.
std::vector<QuestStep> walk_quests(std::span<const Quest> quests, const std::string& start, std::size_t most);

}  // namespace weft
