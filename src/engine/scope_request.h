#pragma once

#include "weft/request.h"
#include "weft/result.h"

namespace weft {

/// A request in the name of a scope, by its key, for what works in the background: without a deadline.
Result<RequestContext> request_of_scope(const ScopeKey& key);

}  // namespace weft
