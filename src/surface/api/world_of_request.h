#pragma once

#include <string>

#include "surface/http/exchange.h"
#include "surface/http/router.h"
#include "weft/engine.h"

namespace weft {

/// The world in the header X-Weft-World; empty where there is none.
Result<std::string> world_in_header(const http::Request& request);

/// The world that a request plays in: the header X-Weft-World, or "world" or `metadata` {weft_world} of its body; empty
/// where it names none. kInvalidArgument for a name that is none.
Result<std::string> world_of_request(const http::Request& request);

}  // namespace weft
