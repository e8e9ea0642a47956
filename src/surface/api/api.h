#pragma once

#include "surface/http/router.h"
#include "weft/engine.h"

namespace weft {

/// Adds the REST interface to the router:
///   POST /v1/sessions/{id}/messages   observe: one message, an array, or {"messages"}
///   GET  /v1/sessions/{id}/messages   the newest `limit` (100) messages, oldest first
///   POST /v1/sessions/{id}/save       close the open topic now
///   POST /v1/sessions/{id}/context    the prompt of the next call, with its report
///   POST /v1/sessions/{id}/end        end a turn: what was done, what was learnt
///   GET  /v1/tools                    the memory tools for a model; POST /v1/tools/{name} runs one with its arguments
///   GET  /v1/profiles/{user|group}/{id}, …/history, POST …/rollback/{version}
///   POST /v1/search                   search the scope's memory
///   GET  /v1/items                    what is kept; `kind`, `limit` (100)
///   GET  /v1/jobs, POST /v1/jobs/{id}/retry
///   GET  /healthz, /metrics
/// Whose memory is meant: see `scope_of_request`. The engine must outlive the router.
void add_api(http::Router& router, Engine& engine);

}  // namespace weft
