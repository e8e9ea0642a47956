#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <stop_token>

#include "ports/files/file_system.h"
#include "weft/result.h"

namespace weft {

/// Tells when something changes in a folder or anywhere below it. Where the system has no notices of files (inotify),
/// or no more of them to give away, `wait` returns after `kLook` and the caller looks for itself. For one thread.
class FolderWatch {
 public:
  static constexpr std::chrono::seconds kLook{2};  ///< between looks without notices

  /// kNotFound where the folder is not there.
  static Result<FolderWatch> open(const std::filesystem::path& folder);

  /// Sleeps until something changed, `most` has passed or `stop` is asked for. What changed while nobody waited ends
  /// the next wait at once.
  void wait(std::chrono::milliseconds most, const std::stop_token& stop);

  /// Whether the system tells of changes.
  bool noticed() const { return notices_.open(); }

 private:
  explicit FolderWatch(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void add(const std::filesystem::path& folder);
  bool take_notices();

  std::filesystem::path folder_;
  FileHandle notices_;
  std::map<int, std::filesystem::path> folders_;  ///< by the number of their watch
};

}  // namespace weft
