#pragma once

#include "weft/value.h"

namespace weft {

/// Whether an id may be left out by giving an empty text, as names in a query may.
enum class IdNeed { kNeeded, kMayBeEmpty };

/// What `check_id` accepts, as a JSON Schema: of the same table. A schema counts characters and `check_id` bytes, so an
/// id of more than 256 bytes in fewer characters passes the one and not the other.
Value id_schema(IdNeed need);

}  // namespace weft
