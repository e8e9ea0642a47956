#pragma once

#include "surface/http/router.h"
#include "weft/engine.h"

namespace weft {

/// Adds the REST interface to the router: all that `operations` tells, and its description at /openapi.json. Whose
/// memory is meant: see `scope_of_request`. The engine must outlive the router.
void add_api(http::Router& router, Engine& engine);

}  // namespace weft
