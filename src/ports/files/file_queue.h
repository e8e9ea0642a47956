#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ports/files/file_system.h"
#include "ports/files/job_files.h"
#include "ports/files/journal.h"
#include "weft/ids.h"
#include "weft/result.h"

namespace weft {

/// The queue of the historian as files: pending/ID.json → processing/ID.json → gone, or failed/ID.json.
///
/// Promise: a job whose `enqueue` returned success is worked off at least once, whatever dies in between; with the
/// worker recording its result and the job's id in one transaction it takes effect exactly once. How: every job that is
/// not done stands in a journal from before it is acknowledged, with one flush that waiting callers share. Its file is
/// the visible form, which `open` makes again from the journal and which a full disk may leave behind. That costs one
/// flush of the disk where writing and renaming files would cost two.
///
/// What changes in memory comes first, then the journal, so that a journal that is written anew from memory never lacks
/// what somebody was told. All functions may be called from many threads. One process at a time (the workspace's lock
/// sees to that).
class FileQueue {
 public:
  /// Opens `folder` and takes up what a crash left: processing/ goes back to pending/, lost files come from the
  /// journal, files that are not jobs and damaged parts of the journal go to failed/ with the reason beside them.
  static Result<std::unique_ptr<FileQueue>> open(std::filesystem::path folder, FileSystem& files = disk());

  /// Keeps a job. A job whose id is already in the queue is left as it is. Not `durable`: nobody waits for the disk,
  /// and a power cut may take it (no crash of the program does), for what is found again without it.
  Status enqueue(const Job& job, bool durable = true);

  static constexpr std::int64_t kLeaseMs = 900'000;

  /// The oldest job that may run at `now_ms`, moved to processing/; nothing if there is none. Whoever does not end it
  /// within the lease loses it: it is taken up again, and what the former one says of it later is passed over.
  Result<std::optional<Job>> take(std::int64_t now_ms, std::int64_t lease_ms = kLeaseMs);

  /// What became of a job that was taken as its attempt of that number; 0: whichever.
  Status finish(const JobId& id, int attempt = 0);
  /// Back to pending/ with a reason, not to be taken before `not_before_ms`.
  Status put_back(const JobId& id, std::string reason, std::int64_t not_before_ms, int attempt = 0);
  Status fail(const JobId& id, std::string reason, int attempt = 0);

  bool contains(const JobId& id) const;
  /// Takes jobs out for good, whatever their state, and leaves nothing of them in the journal. What the worker of one
  /// says of it later is passed over. Gives the ids.
  Result<std::vector<JobId>> erase(const std::function<bool(const Job&)>& wanted);
  /// Removes what `open` has set aside and whose bytes are wanted; gives how much.
  Result<std::size_t> erase_broken(const std::function<bool(std::string_view bytes)>& wanted);
  /// From failed/ to pending/, as if new.
  Status retry(const JobId& id);
  /// All of failed/, or none. Gives how many.
  Result<std::size_t> retry_failed();

  struct Counts {
    std::size_t pending = 0, processing = 0, failed = 0;
    std::uint64_t done = 0;
    std::size_t broken = 0;  ///< files and parts of the journal that `open` could not read
  };
  Counts counts() const;
  std::vector<std::pair<JobState, Job>> list() const;

  /// Earliest time at which a job may be taken, if there is one: a pending one, or one whose lease ends.
  std::optional<std::int64_t> next_due() const;
  /// Since when the job that waits longest could have run.
  std::optional<std::int64_t> waiting_since(std::int64_t now_ms) const;
  /// Why no job can be kept; success where all is well.
  Status trouble() const { return journal_->trouble(); }

 private:
  struct Entry {
    Job job;
    JobState state = JobState::kPending;
    std::uint64_t order = 0;
    std::int64_t lease_until_ms = 0;
    std::optional<JobState> file = {};  ///< the folder that its file lies in
  };

  FileQueue(std::filesystem::path folder, FileSystem& files) : files_(std::move(folder), files) {}
  Status recover();
  void add(Job job, JobState state, std::optional<JobState> file = {});
  Entry* next_to_run(std::int64_t now_ms);
  Entry* taken(const JobId& id, int attempt);
  void move(Entry& entry, JobState to);
  Status note(const std::string& record, bool durable);
  Status rewrite_journal();
  void shorten_journal();
  Status wait_for_arriving(const std::function<bool(const Job&)>& wanted, std::unique_lock<std::mutex>& lock);

  JobFiles files_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<JobId, Job> arriving_;  ///< being written to the journal, not acknowledged yet
  std::map<JobId, Entry> entries_;
  std::map<std::uint64_t, JobId> pending_;  ///< by order
  std::set<JobId> processing_;
  std::uint64_t next_order_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t living_bytes_ = 0;  ///< of the journal when it was written anew
  std::size_t broken_ = 0;
  std::unique_ptr<Journal> journal_;
};

}  // namespace weft
