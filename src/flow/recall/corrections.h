#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "flow/recall/query.h"
#include "text/words.h"
#include "weft/memory.h"

namespace weft {

/// The words of an item that tell of its matter: without notes of ours and words that only report speech.
std::set<Term> terms_of_matter(const Item& item);

/// What an item states, read once so that it can be compared with what others state.
struct StatedItem {
  const Item* item = nullptr;
  std::set<Term> terms;
  bool states = false;   ///< one thing, and asks nothing
  bool changes = false;  ///< says that something has changed
  bool figures = false;
};

StatedItem read_stated(const Item& item, std::set<Term> terms);

/// Whether the later statement proves that the earlier one no longer holds: the same speaker, or the user after the
/// assistant, says that something has changed, in at least half of the earlier words, which name the matter; the other
/// words are the value. Near vectors prove nothing: in long talks half of the statements that were marked by them still
/// held.
bool corrects(const StatedItem& newer, const StatedItem& older);

/// How far the later statement seems to tell of the matter of the earlier one, so that it may hold instead: the share
/// of the earlier words that it repeats; 0 where that is too little. This proves nothing: it decides which of two
/// statements stands first and that both are shown, never that one is marked.
double rivalry(const StatedItem& newer, const StatedItem& older);

/// The last of the statements that corrects this one; null: none does.
const StatedItem* last_correction(const StatedItem& older, std::span<const StatedItem> statements);

/// The statement that seems to hold instead of this one, the last of those that are nearly as like it as the likest;
/// null: none.
const StatedItem* strongest_rival(const StatedItem& older, std::span<const StatedItem> statements);

/// Orders what was found so that what no longer holds stands behind what replaced it, and else as it was. It is not
/// hidden, since what held then can be what is asked for. Behind their successors go facts that were superseded and the
/// messages that stated them, statements that a later one corrects, and such as a later one of about equal relevance
/// seems to replace.
void put_current_first(std::vector<Hit>& hits, const QueryText& question);

}  // namespace weft
