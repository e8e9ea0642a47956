#pragma once

#include <string_view>

#include "surface/access/access.h"
#include "weft/result.h"

namespace weft {

/// What belongs to everybody ("workspace") is not changed by a key of some users: kPermission.
Status check_may_change(const Access& access, std::string_view owner);

}  // namespace weft
