#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "ports/files/file_system.h"

namespace weft {

/// Takes over a log of lines that a former version wrote: hands each whole line to `take`, calls `keep`, which writes
/// what they said to the store, and removes the log. Lines that `take` cannot read stay in a file beside it, of the
/// same name with ".unread". Killed before the end, it is done again with the next start: `keep` must not write twice
/// what is there. A log that is not there changes nothing.
Status take_former_log(FileSystem& files, const std::filesystem::path& path,
                       const std::function<bool(std::string_view line)>& take, const std::function<Status()>& keep);

}  // namespace weft
