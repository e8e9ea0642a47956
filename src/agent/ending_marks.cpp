#include "agent/ending_marks.h"

namespace weft {

EndingMarks::EndingMarks(FileSystem& files, std::filesystem::path folder) : files_(files), folder_(std::move(folder)) {
  const auto left = files_.list(folder_);
  if (left.ok())
    for (const auto& path : *left) runs_.insert(path.filename().string());
}

Status EndingMarks::set(const std::string& run) {
  const std::lock_guard lock(mutex_);
  if (runs_.contains(run)) return {};
  WEFT_CHECK(files_.make_folder(folder_));
  WEFT_CHECK(write_file(files_, folder_ / run, "", true));
  runs_.insert(run);
  return {};
}

// Not flushed: a mark that comes back after a failure of power only has what is known looked at once more.
Status EndingMarks::clear(const std::string& run) {
  const std::lock_guard lock(mutex_);
  if (runs_.erase(run) == 0) return {};
  return files_.remove(folder_ / run);
}

bool EndingMarks::has(const std::string& run) const {
  const std::lock_guard lock(mutex_);
  return runs_.contains(run);
}

std::vector<std::string> EndingMarks::all() const {
  const std::lock_guard lock(mutex_);
  return {runs_.begin(), runs_.end()};
}

}  // namespace weft
