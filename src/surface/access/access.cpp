#include "surface/access/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace weft {
namespace {

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Error closed(const Access& access, std::string_view kind, std::string_view name) {
  return permission(fmt::format("the key \"{}\" does not open the memory of the {} \"{}\"", access.name, kind, name),
                    "`weft key list` shows whose memory it opens");
}

}  // namespace

std::string_view to_string(Right right) {
  switch (right) {
    case Right::kRead: return "read";
    case Right::kWrite: return "write";
    case Right::kAdmin: return "admin";
  }
  return {};
}

Status check_right(const Access& access, Right needed) {
  if (access.right >= needed) return {};
  return permission(fmt::format("the key \"{}\" may {} only, and this needs the right to {}", access.name,
                                to_string(access.right), to_string(needed)),
                    "use a key that was made with --right " + std::string(to_string(needed)));
}

Status check_scope(const Access& access, const Scope& scope) {
  if (!access.bound()) return {};
  const std::string& user = scope.user().str();
  if (scope.is_group() && !has(access.groups, scope.group().str())) return closed(access, "group", scope.group().str());
  const bool speaks = scope.is_group() && (user.empty() || access.users.empty());
  if (speaks || has(access.users, user)) return {};
  return closed(access, "user", user);
}

std::string_view default_user_of(const Access& access, std::string_view otherwise) {
  return access.users.size() == 1 ? std::string_view(access.users.front()) : otherwise;
}

Status check_may_change(const Access& access, std::string_view owner) {
  if (owner != "workspace" || !access.bound()) return {};
  return permission("the key \"" + access.name + "\" is for some users or groups, and this is everybody's",
                    "use a key without --for-user and --for-group");
}

}  // namespace weft
