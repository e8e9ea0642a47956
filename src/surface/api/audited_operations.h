#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "surface/api/operation.h"

namespace weft {

/// Whether an operation is noted in the workspace's audit log: all that change what the whole workspace stands on need
/// kAdmin, and beside them forgetting, exports, rules, skills, profiles, what may be learnt, and approvals.
bool is_audited(const Operation& operation);

/// What a call of it acted on, by ids alone, each with its noun: "rule r12", "action approve", "version 3". Ids that
/// the server gave come from the answer. Never a text that somebody wrote, nor a secret. `answer` is empty where the
/// call failed: then only the path speaks.
std::vector<std::string> acted_on(const Operation& operation, const http::Request& request, std::string_view answer);

}  // namespace weft
