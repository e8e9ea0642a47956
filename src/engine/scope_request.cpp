#include "engine/scope_request.h"

#include "growth/owners.h"
#include "model/scope_key.h"

namespace weft {

Result<RequestContext> request_of_scope(const ScopeKey& key) {
  const ScopeParts parts = parts_of_scope(key);
  WEFT_TRY(const Scope scope, parts.group.empty() ? Scope::of_user(parts.user) : Scope::of_group(parts.group));
  return RequestContext{scope, {}, {}};
}

std::string speaker_of(const RequestContext& request) {
  return request.scope.user().empty() ? request.scope.key().str() : request.scope.user().str();
}

Result<std::string> owner_for(const RequestContext& request, const std::string& owner, std::string_view what) {
  const std::string own = request.scope.key().str();
  if (owner.empty() || owner == own) return own;
  if (owner == kWorkspaceOwner) return owner;
  return permission(std::string(what) + ": its owner is \"" + owner + "\", the caller \"" + own + "\"",
                    "call it for that scope");
}

}  // namespace weft
