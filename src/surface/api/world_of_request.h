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

/// Whose story a request means: with ?world=NAME the world itself, to fill it or to read it; else as `context_of`.
Result<RequestContext> story_of(const Engine& engine, const http::Request& request, const http::ResponseWriter& out);

}  // namespace weft
