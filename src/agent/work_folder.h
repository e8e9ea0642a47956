#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "weft/result.h"

namespace weft {

/// A folder whose files an agent reads and writes. No path leads out of it: not by "..", not by being absolute, not
/// through a symbolic link at any place. Safe from many threads.
class WorkFolder {
 public:
  /// The folder is made where it is not there.
  static Result<WorkFolder> open(const std::filesystem::path& folder);

  struct Entry {
    std::string path;  ///< below the folder
    bool folder = false;
    std::uintmax_t bytes = 0;
  };

  Result<std::string> read(const std::string& path, std::size_t most_bytes) const;
  /// Puts the content in the place of the file; readers see the old or the new one.
  Status write(const std::string& path, std::string_view content) const;
  /// Takes a file away; success also where there is none.
  Status remove(const std::string& path) const;
  /// What stands in a folder, by name; `deep`: in those below, too. At most `most` entries.
  Result<std::vector<Entry>> list(const std::string& path, bool deep, std::size_t most) const;
  const std::filesystem::path& path() const { return root_; }

 private:
  explicit WorkFolder(std::filesystem::path root) : root_(std::move(root)) {}
  Result<std::filesystem::path> inside(const std::string& path) const;
  std::filesystem::path root_;
};

}  // namespace weft
