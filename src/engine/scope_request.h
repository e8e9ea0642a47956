#pragma once

#include <string>
#include <string_view>

#include "weft/request.h"
#include "weft/result.h"

namespace weft {

/// A request in the name of a scope, by its key, for what works in the background: without a deadline.
Result<RequestContext> request_of_scope(const ScopeKey& key);

/// Who speaks, for what is written down: the user, or the scope where none is named.
std::string speaker_of(const RequestContext& request);

/// Whose it is what a caller hands in: its own where nobody is named, or everybody's. For another owner nobody can
/// speak: kPermission, with `what` named.
Result<std::string> owner_for(const RequestContext& request, const std::string& owner, std::string_view what);

}  // namespace weft
