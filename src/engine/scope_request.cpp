#include "engine/scope_request.h"

#include "model/scope_key.h"

namespace weft {

Result<RequestContext> request_of_scope(const ScopeKey& key) {
  const ScopeParts parts = parts_of_scope(key);
  WEFT_TRY(const Scope scope, parts.group.empty() ? Scope::of_user(parts.user) : Scope::of_group(parts.group));
  return RequestContext{scope, {}, {}};
}

}  // namespace weft
