#include "surface/api/ownership.h"

#include <string>

namespace weft {

Status check_may_change(const Access& access, std::string_view owner) {
  if (owner != "workspace" || !access.bound()) return {};
  return permission("the key \"" + access.name + "\" is for some users or groups, and this is everybody's",
                    "use a key without --for-user and --for-group");
}

}  // namespace weft
