#pragma once

#include "weft/memory.h"

namespace weft {

/// Whether the item was known and held at that moment.
bool held_at(const Item& item, Time moment);

}  // namespace weft
