#pragma once

#include "surface/http/router.h"
#include "weft/engine.h"

namespace weft {

/// Paths for those who look after a server: erasure, jobs, backups, exports, health and metrics.
void add_care_api(http::Router& router, Engine& engine);

}  // namespace weft
