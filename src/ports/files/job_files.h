#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ports/files/file_system.h"
#include "weft/ids.h"
#include "weft/result.h"

namespace weft {

/// A job as it lies in a queue file.
struct Job {
  JobId id;
  std::string kind;           ///< "topic", "end", "flush"
  std::string payload;        ///< JSON, the kind's own
  int attempts = 0;           ///< how often it was begun
  std::string reason;         ///< why the last attempt failed
  std::int64_t created_ms = 0;
  std::int64_t not_before_ms = 0;  ///< back-off: not to be taken earlier
};

enum class JobState { kPending, kProcessing, kFailed };

std::string_view to_string(JobState state);

/// The files in which people see a queue: each job's in the folder of its state, and in failed/ what could not be read.
/// They are no more than that, the journal says what holds. One thread at a time.
class JobFiles {
 public:
  /// `files` must outlive it.
  JobFiles(std::filesystem::path folder, FileSystem& files) : folder_(std::move(folder)), files_(files) {}

  const std::filesystem::path& folder() const { return folder_; }
  FileSystem& disk() const { return files_; }

  Status make_folders();
  Status sync_folders();
  /// Writes a job's file where it belongs and takes it out of `lies_in`, which says where it lies then. Where the disk
  /// takes none, the job goes on without one.
  void show(const Job& job, JobState state, std::optional<JobState>& lies_in);
  Status remove(JobState state, const JobId& id);

  /// Keeps bytes that could not be read where somebody can look at them.
  void set_aside(const std::string& name, std::string_view bytes, const std::string& reason);
  /// How much was set aside.
  Result<std::size_t> set_aside() const;
  /// Removes what was set aside and is wanted; gives how much.
  Result<std::size_t> erase_set_aside(const std::function<bool(std::string_view bytes)>& wanted);

 private:
  std::filesystem::path path_of(JobState state, const JobId& id) const;

  std::filesystem::path folder_;
  FileSystem& files_;
};

}  // namespace weft
