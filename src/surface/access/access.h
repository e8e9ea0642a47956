#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "weft/enum_values.h"
#include "weft/result.h"
#include "weft/scope.h"

namespace weft {

/// What a caller may do; each includes those before it.
enum class Right {
  kRead,   ///< look at what is kept
  kWrite,  ///< add to it, change it and forget it, in the scopes that the key is for
  kAdmin,  ///< look after the whole workspace: jobs, backups, what belongs to nobody
};
std::string_view to_string(Right right);
inline constexpr std::array kRights{Right::kRead, Right::kWrite, Right::kAdmin};
template <>
inline constexpr std::span<const Right> kEnumValues<Right>{kRights};

/// Who asks, and what their key allows. Without keys everybody who reaches the server may do all.
struct Access {
  std::string name;  ///< of the key, for logs; empty: nobody was asked for one
  Right right = Right::kAdmin;
  std::vector<std::string> users = {};   ///< whose memory it opens; with `groups` empty, too: everybody's
  std::vector<std::string> groups = {};  ///< likewise

  /// It is for some users or groups only.
  bool bound() const { return !users.empty() || !groups.empty(); }
};

/// kPermission where the key does not go so far.
Status check_right(const Access& access, Right needed);

/// kPermission for a scope that the key does not open. A group is opened by its name; a key that names users, too, then
/// speaks for these only.
Status check_scope(const Access& access, const Scope& scope);

/// The user of a request that names nobody: the only one that the key is for, else `otherwise`.
std::string_view default_user_of(const Access& access, std::string_view otherwise);

/// What belongs to everybody ("workspace") is not changed by a key of some users: kPermission.
Status check_may_change(const Access& access, std::string_view owner);

}  // namespace weft
