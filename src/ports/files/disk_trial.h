#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/result.h"

namespace weft {

/// Writes a small file in the folder, flushes it and the folder, reads it back and removes it. Gives the milliseconds
/// that the flush took; the error says which of these steps failed.
Result<double> try_disk(const std::filesystem::path& folder);

/// What is left on the disk of a folder.
struct DiskSpace {
  std::uint64_t bytes = 0;  ///< for this user
  std::uint64_t files = 0;  ///< how many more there can be; 0 with `counts_files` false: the file system has no limit
  bool counts_files = false;
  bool read_only = false;
};
Result<DiskSpace> disk_space(const std::filesystem::path& folder);

/// A file or folder with rights that it should not have, or lacks.
struct WrongRights {
  enum class Kind { kClosed, kForeign, kOpen };
  Kind kind = Kind::kClosed;  ///< this user may not read and write it; it is another user's; others may read it
  std::filesystem::path path;
};

/// Looks through a workspace, the first hundred thousand entries of it; nothing is opened.
std::vector<WrongRights> wrong_rights(const std::filesystem::path& workspace);

}  // namespace weft
