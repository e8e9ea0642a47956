#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/json.h"

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

/// A text of lines in at most `tokens` tokens (estimated by script): the lines that share most words with `query`, and
/// of those alike the first ones, in their order, under their headings. A line at the end says how many are left out.
/// The same text where it fits; a line that is too long by itself is cut behind a sentence. Empty only where the text
/// is empty or there is no room for a single word. Deterministic; linear in the text but for sorting.
std::string shorten_profile(std::string_view text, std::string_view query, std::int64_t tokens);

/// What time it is in a story, where its state says so: a member of the state, or of its scene, world or setting, that
/// is called time, date, hour, day, clock or calendar (in either language). Null where it does not; else the value as
/// it is written, borrowed from the state.
const Value* story_time(const Value& root);

}  // namespace weft
