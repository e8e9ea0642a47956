#pragma once

#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ports/files/file_system.h"

namespace weft {

/// Outputs of tools as they came, where a prompt holds only a part: agents/results/RUN/HANDLE.txt. Safe from many
/// threads.
class ResultStore {
 public:
  ResultStore(FileSystem& files, std::filesystem::path folder) : files_(files), folder_(std::move(folder)) {}
  /// Puts an output under its handle; it is on disk when this returns.
  Status keep(const std::string& run, const std::string& handle, std::string_view text);
  /// Takes one away, or all of a run; success also where there is none.
  Status remove(const std::string& run, const std::string& handle);
  Status remove_all(const std::string& run);
  /// kNotFound for a handle that the run has not.
  Result<std::string> read(const std::string& run, const std::string& handle);

 private:
  Result<std::filesystem::path> path_of(const std::string& run, const std::string& handle) const;
  FileSystem& files_;
  std::filesystem::path folder_;
};

/// What of an output a model sees.
struct ShownOutput {
  std::string text;
  bool cut = false;
  std::int64_t hidden = 0;  ///< characters that deceive, taken out
};

/// The output as it is, or its beginning and end within `most` bytes with the way to the rest by `handle` between. What
/// is no text is told in words; characters that nobody sees are taken out.
ShownOutput shown_output(std::string_view output, std::size_t most, const std::string& handle);

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
