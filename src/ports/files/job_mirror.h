#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "model/job.h"

namespace weft {

/// Shows jobs as files, for people: pending/ID.json, processing/ID.json, failed/ID.json. The files follow the store and
/// are never read. One thread at a time.
class JobMirror {
 public:
  explicit JobMirror(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Makes the files those of `jobs`: writes what is new or changed, removes the others.
  Status show(std::span<const Job> jobs);

 private:
  Status find_files();

  std::filesystem::path folder_;
  std::optional<std::set<std::pair<std::string, std::string>>>
      shown_;  ///< path and content; nothing before the first time
};

}  // namespace weft
