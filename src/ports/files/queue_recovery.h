#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ports/files/file_queue.h"

namespace weft {

/// Records of the queue's journal: the first byte says what follows it.
namespace queue_record {
inline constexpr char kEnqueued = '+';  ///< a job; pending from now on
inline constexpr char kFailed = '!';    ///< a job, with the reason; failed from now on
inline constexpr char kDone = '-';      ///< the id of a job
inline constexpr char kRetried = 'R';   ///< ids, a line each; pending again, as if new
}  // namespace queue_record

/// What a queue's journal tells, read record by record.
class QueueHistory {
 public:
  struct Told {
    Job job;
    bool failed = false;
    bool retried = false;  ///< and not failed since
  };

  void read(std::string_view record);

  bool done(const JobId& id) const { return done_.contains(id); }
  const Told* of(const JobId& id) const;
  /// Whether a file of this name belongs to a job that the journal knows, so that its content is not needed.
  bool knows_file(const std::string& name) const;
  const std::map<JobId, Told>& jobs() const { return jobs_; }
  std::size_t unreadable() const { return unreadable_; }

 private:
  void put(std::string_view json, bool failed);

  std::map<JobId, Told> jobs_;
  std::set<JobId> done_;
  std::size_t unreadable_ = 0;
};

/// A queue's file that was read, and the folder it lay in.
struct QueueFile {
  Job job;
  JobState folder = JobState::kPending;
};

/// A job as it stands after a crash, from its files (at least one, or none) and from what the journal tells (may be
/// null). What was being worked off waits again.
QueueFile settle_job(const std::vector<QueueFile>& files, const QueueHistory::Told* told);

}  // namespace weft
