#include "model/scope_key.h"

namespace weft {

ScopeParts parts_of_scope(std::string_view key) {
  constexpr std::string_view kUser = "user:", kGroup = "group:";
  if (key.starts_with(kUser)) return {std::string(key.substr(kUser.size())), {}};
  if (key.starts_with(kGroup)) return {{}, std::string(key.substr(kGroup.size()))};
  return {};
}

}  // namespace weft
