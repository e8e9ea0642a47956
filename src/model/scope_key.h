#pragma once

#include <string>

#include "weft/ids.h"

namespace weft {

/// Whose memory the key of a scope names, as `Scope::key` wrote it: one of the two, the other is empty.
struct ScopeParts {
  std::string user, group;
};

ScopeParts parts_of_scope(const ScopeKey& scope);

}  // namespace weft
