#pragma once

#include <string>

#include "weft/lore.h"
#include "weft/memory.h"
#include "weft/plan.h"

namespace weft {

/// What is indexed and embedded of an entry: title, the keys that are words and stand in neither title nor text, text.
std::string lore_text(const LoreEntry& entry);

/// The entry as an item of recall: id, kind, text. Scope, time and position are the caller's.
Item lore_item(const LoreEntry& entry, ItemKind kind);

/// The entry as a block with the place it wants. `escaped` is what is woven in of it. An entry with the usual order
/// gets the usual priority of a block.
FloatingBlock lore_block(const LoreEntry& entry, std::string escaped);

}  // namespace weft
