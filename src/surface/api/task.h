#pragma once

#include "surface/http/router.h"
#include "weft/engine.h"

namespace weft {

/// /v1/sessions/{id}/task, /v1/preferences, /v1/messages/{id}
void add_task_api(http::Router& router, Engine& engine);

}  // namespace weft
