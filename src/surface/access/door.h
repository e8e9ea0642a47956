#pragma once

#include <string>

#include "surface/access/key_ring.h"
#include "weft/config.h"

namespace weft {

/// The address is this machine's own, which nobody else reaches.
bool is_loopback(const std::string& host);

/// What would leave the memory open to everybody, or makes no door, is not started: kPermission, kInvalidArgument.
Status check_door(const ServerSettings& settings, KeyRing& keys);

}  // namespace weft
