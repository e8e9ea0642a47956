#pragma once

#include <string>
#include <string_view>

#include "weft/ids.h"

namespace weft {

/// The owner of what everybody of a workspace has. Any other owner of a rule, a skill or a report is the key of a
/// scope.
inline constexpr std::string_view kWorkspaceOwner = "workspace";

/// The scope of the documents of a workspace, of whatever owner. No user or group has this key.
inline const ScopeKey& workspace_scope() {
  static const ScopeKey scope{std::string(kWorkspaceOwner)};
  return scope;
}

/// Whether what an owner has is for a scope, too: what was learnt from one person is not told to another.
inline bool is_for(std::string_view owner, std::string_view scope) {
  return owner == kWorkspaceOwner || owner == scope;
}
inline bool is_for(std::string_view owner, const ScopeKey& scope) { return is_for(owner, scope.str()); }

}  // namespace weft
