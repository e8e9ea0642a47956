#pragma once

#include "surface/access/audit_log.h"
#include "surface/http/router.h"
#include "weft/engine.h"

namespace weft {

struct Operation;

/// Runs an operation if the caller's key allows it, and notes it in `audit`, which may be null, where it is an
/// administrative act.
void run_operation(Engine& engine, const Operation& operation, const http::Request& request, http::ResponseWriter& out,
                   const AuditLog* audit);

/// Adds the REST interface to the router: all that `operations` tells, and its description at /openapi.json. Whose
/// memory is meant: see `scope_of_request`; what a caller's key must allow stands with each operation. Administrative
/// acts are noted in `audit`, which may be null. Engine and log must outlive the router.
void add_api(http::Router& router, Engine& engine, const AuditLog* audit = nullptr);

}  // namespace weft
