#pragma once

#include <string>

#include "weft/ids.h"
#include "weft/value.h"

namespace weft {

/// Whose memory the key of a scope names, as `Scope::key` wrote it: one of the two, the other is empty.
struct ScopeParts {
  std::string user, group;
};

ScopeParts parts_of_scope(const ScopeKey& scope);

/// Whether an id may be left out by giving an empty text, as names in a query may.
enum class IdNeed { kNeeded, kMayBeEmpty };

/// What `check_id` accepts, as a JSON Schema: of the same table. A schema counts characters and `check_id` bytes, so an
/// id of more than 256 bytes in fewer characters passes the one and not the other.
Value id_schema(IdNeed need);

}  // namespace weft
