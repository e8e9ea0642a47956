#pragma once

#include <string>

#include "surface/access/key_ring.h"
#include "weft/config.h"

namespace weft {

/// The address belongs to this machine alone: "localhost", "::1", or an IPv4 address that begins with 127.
bool is_loopback(const std::string& host);

/// Whether a server may start with these settings. kPermission for one that listens on another address than loopback
/// without a key, kInvalidArgument for settings that make no address.
Status check_door(const ServerSettings& settings, KeyRing& keys);

}  // namespace weft
