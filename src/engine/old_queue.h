#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "ports/store/store.h"

namespace weft {

/// Takes the jobs of a workspace whose queue lay in files (a journal, and a file a job) into the store, and removes the
/// files. This is done once for a store; broken off anywhere it is done again, as long as nobody has worked off a job
/// in between. What cannot be read is set aside in failed/ as *.broken, and logged.
Status take_in_old_queue(Store& store, const std::filesystem::path& folder);

/// Removes what was set aside and is wanted; gives how much.
Result<std::size_t> erase_broken_jobs(const std::filesystem::path& folder,
                                      const std::function<bool(std::string_view bytes)>& wanted);

}  // namespace weft
