#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/facets/facet.h"
#include "weft/profile.h"

namespace weft {

/// The profile of a scope's user or group, as people read and edit it. Where `of` is left out it is the scope's own;
/// another one is kPermission, but for a speaker's that a group may read (cognitive.user_profile_in_groups).
class ScopeProfiles : public Facet {
 public:
  /// kNotFound if there is none yet; kCorrupt, naming file and line, if a person's edit cannot be read.
  Result<Profile> read(const std::optional<EntityKey>& of = {}) const;
  /// Replaces the text of it, as a person does who edits the file.
  Result<Profile> write(const std::string& body, const std::optional<EntityKey>& of = {}) const;

  /// Kept versions of it, oldest first, and one of them.
  Result<std::vector<ProfileVersion>> history(const std::optional<EntityKey>& of = {}) const;
  Result<Profile> version(std::uint64_t version, const std::optional<EntityKey>& of = {}) const;
  /// Puts a kept version back; what stood there is kept as one more version.
  Result<Profile> roll_back(std::uint64_t version, const std::optional<EntityKey>& of = {}) const;

  /// The file of it, for an editor.
  Result<std::string> path(const std::optional<EntityKey>& of = {}) const;

 private:
  friend class Engine;
  using Facet::Facet;
};

}  // namespace weft
