#pragma once

#include <optional>

#include "surface/http/refusal.h"

namespace weft::http {

/// 400 for a request whose Host header is missing though it is `needed`, stands there twice, or is no host with a port
/// or without.
std::optional<Refusal> check_host(const Request& head, bool needed);

}  // namespace weft::http
