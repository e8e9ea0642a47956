#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "flow/context/build_context.h"
#include "flow/context/injector.h"
#include "weft/lore.h"

namespace weft {

/// What stands beside the history of a planned prompt: lore that its keys called up, and what curation chose.
struct EntriesToWeave {
  std::vector<CuratedEntry> called;  ///< lore, by the words of the last messages
  std::vector<CuratedEntry> chosen;  ///< lore, memories, quests, the best first
  LayerLabels labels;
  InjectOptions options;
  std::string query;  ///< what shortening goes by
};

/// Fits entries into a room, what is called first, then what is chosen: each that fits is whole, one that is too large
/// by itself is shortened to what has to do with the query, the rest is left out and reported. What the prompt shows
/// already (`room.shown`) is left out, too. Entries that ask for no place of their own are one block.
Curated weave_entries(EntriesToWeave entries, const CurationRoom& room, const TokenCounter& tokens);

/// Lore that always stands, as one text, higher orders later; empty for none. All stored text in it is escaped.
std::string standing_lore(const std::vector<const LoreEntry*>& constant);

}  // namespace weft
