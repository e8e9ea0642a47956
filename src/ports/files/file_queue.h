#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "ports/files/journal.h"
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

/// The queue of the historian as files: pending/ID.json → processing/ID.json → gone, or failed/ID.json.
///
/// Promise: a job whose `enqueue` returned success is worked off at least once, whatever dies in between; with the
/// worker recording its result and the job's id in one transaction it takes effect exactly once. How: a job is first
/// appended to a journal, with one flush that waiting callers share; its file is the visible form and needs no flush of
/// its own, since `open` makes it again from the journal. That costs one flush of the disk where writing and renaming
/// files would cost two. All functions may be called from many threads. One process at a time (the workspace's lock
/// sees to that).
class FileQueue {
 public:
  /// Opens `folder` and takes up what a crash left: processing/ goes back to pending/, lost files come from the
  /// journal, files that are not jobs go to failed/ with the reason beside them.
  static Result<std::unique_ptr<FileQueue>> open(std::filesystem::path folder);

  /// Keeps a job. A job whose id is already in the queue is left as it is.
  Status enqueue(const Job& job);

  /// The oldest job that may run at `now_ms`, moved to processing/; nothing if there is none.
  Result<std::optional<Job>> take(std::int64_t now_ms);

  Status finish(const JobId& id);
  /// Back to pending/ with a reason, not to be taken before `not_before_ms`.
  Status put_back(const JobId& id, std::string reason, std::int64_t not_before_ms);
  Status fail(const JobId& id, std::string reason);
  bool contains(const JobId& id) const;
  /// Takes jobs out for good, whatever their state, and leaves nothing of them in the journal. A job that is being
  /// worked off is left out of the count and must be waited for. Gives the ids.
  Result<std::vector<JobId>> erase(const std::function<bool(const Job&)>& wanted);
  /// From failed/ to pending/, as if new.
  Status retry(const JobId& id);

  struct Counts {
    std::size_t pending = 0, processing = 0, failed = 0;
    std::uint64_t done = 0;
  };
  Counts counts() const;
  std::vector<std::pair<JobState, Job>> list() const;

  /// Earliest time at which a pending job may run, if there is one.
  std::optional<std::int64_t> next_due() const;

 private:
  struct Entry {
    Job job;
    JobState state = JobState::kPending;
    std::uint64_t order = 0;
  };

  explicit FileQueue(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path path_of(JobState state, const JobId& id) const;
  Status recover();
  Status load_folder(JobState state);
  Status move(Entry& entry, JobState to);
  void checkpoint_if_idle();
  void set_state(Entry& entry, JobState state);

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::shared_mutex rewriting_;  ///< held alone while the journal is written anew, shared by those who append
  std::map<JobId, Entry> entries_;
  std::map<std::uint64_t, JobId> pending_;  ///< by order
  std::uint64_t next_order_ = 0;
  std::uint64_t done_ = 0;
  std::unique_ptr<Journal> journal_;
};

}  // namespace weft
