#pragma once

#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "ports/files/file_system.h"

namespace weft {

/// Which runs are ending: an empty file agents/ending/RUN, on disk before the answer is, and gone when all that follows
/// from it is done (it is kept as a talk, reflected on, counted). What a kill leaves is made up for at the next start.
/// Safe from many threads.
class EndingMarks {
 public:
  EndingMarks(FileSystem& files, std::filesystem::path folder);
  Status set(const std::string& run);
  Status clear(const std::string& run);
  bool has(const std::string& run) const;
  std::vector<std::string> all() const;

 private:
  FileSystem& files_;
  const std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::set<std::string> runs_;
};

}  // namespace weft
