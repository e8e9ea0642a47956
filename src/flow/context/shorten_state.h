#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "text/value.h"

namespace weft {

/// What of a state matters now.
struct StateInterest {
  std::string words;  ///< the input, the names it means, the goal, active quests
  std::vector<std::string> players;  ///< names or ids of the player's own figure, beside what the state says
  std::vector<std::string> changed;  ///< anchors that changed lately, the newest first
};

/// A state cut down to about `bytes` of data: entities that the words name, the player's figure and what it holds,
/// what changed lately, what shares words with the rest, in that order, each with the entities it stands in; then
/// others in the order of the state while there is room. Where something is left out, its container says how many, in
/// one line. Long texts are shortened. The same input gives the same tree. Linear in the state, but for sorting.
Value shorten_state(const Value& root, const StateInterest& interest, std::size_t bytes);

/// The anchors in a JSON array of operations, in their order.
std::vector<std::string> anchors_in(const std::string& operations);

}  // namespace weft
