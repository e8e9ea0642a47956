#pragma once

#include <optional>
#include <vector>

#include "weft/memory.h"

namespace weft {

/// Whether the item was known and held at that moment.
bool held_at(const Item& item, Time moment);

/// Orders what was found so that neither a fact that was replaced nor the message that stated it stands before what
/// replaced it, and else as it was: it is not hidden, since what held then can be what is asked for.
void put_current_first(std::vector<Hit>& hits);

}  // namespace weft
