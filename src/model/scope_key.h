#pragma once

#include <string>
#include <string_view>

namespace weft {

/// Whose memory the key of a scope names, as `Scope::key` wrote it: one of the two, the other is empty.
struct ScopeParts {
  std::string user, group;
};

ScopeParts parts_of_scope(std::string_view key);

}  // namespace weft
