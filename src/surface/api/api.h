#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "surface/access/audit_log.h"
#include "surface/api/operation.h"
#include "surface/http/router.h"
#include "weft/engine.h"

namespace weft {

/// Whether an operation is noted in the workspace's audit log: all that change what the whole workspace stands on need
/// kAdmin, and beside them forgetting, exports, rules, skills, profiles, what may be learnt, and approvals.
bool is_audited(const Operation& operation);

/// What a call of it acted on, by ids alone, each with its noun: "rule r12", "action approve", "version 3". Ids that
/// the server gave come from the answer. Never a text that somebody wrote, nor a secret. `answer` is empty where the
/// call failed: then only the path speaks.
std::vector<std::string> acted_on(const Operation& operation, const http::Request& request, std::string_view answer);

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
