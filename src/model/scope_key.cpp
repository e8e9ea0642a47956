#include "model/scope_key.h"

#include <string_view>

namespace weft {

ScopeParts parts_of_scope(const ScopeKey& scope) {
  const std::string_view key = scope.str();
  constexpr std::string_view kUser = "user:", kGroup = "group:";
  if (key.starts_with(kUser)) return {std::string(key.substr(kUser.size())), {}};
  if (key.starts_with(kGroup)) return {{}, std::string(key.substr(kGroup.size()))};
  return {};
}

}  // namespace weft
