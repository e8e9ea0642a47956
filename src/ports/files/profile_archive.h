#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "weft/profile.h"
#include "weft/result.h"

namespace weft {

/// What a profile had no room for any more: lines as they stood in it, with their markers, oldest first, in
/// archive/{users,groups}/ID.md below the folder of the profiles. Nothing is ever read from there but by people;
/// erasure reaches it. For callers that hold the profile's lock, or that wait for nobody while they erase.

/// Adds lines durably. A line that stands there already is not added again.
Status add_to_archive(const std::filesystem::path& profiles, const EntityKey& entity,
                      const std::vector<std::string>& lines);

/// Rewrites the archive as `change` makes it. True where that changed something; false as well where there is none.
Result<bool> change_archive(const std::filesystem::path& profiles, const EntityKey& entity,
                            const std::function<std::string(const std::string& body)>& change);

/// Takes it off the disk. True where there was one.
Result<bool> remove_archive(const std::filesystem::path& profiles, const EntityKey& entity);

}  // namespace weft
