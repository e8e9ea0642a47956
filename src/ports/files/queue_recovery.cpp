#include "ports/files/queue_recovery.h"

#include <algorithm>

#include "ports/files/file.h"
#include "ports/files/job_json.h"

namespace weft {

void QueueHistory::read(std::string_view record) {
  if (record.empty()) return;
  const std::string_view rest = record.substr(1);
  switch (record.front()) {
    case queue_record::kEnqueued: put(rest, false); break;
    case queue_record::kFailed: put(rest, true); break;
    case queue_record::kDone: {
      const JobId id{std::string(rest)};
      jobs_.erase(id);
      done_.insert(id);
      break;
    }
    case queue_record::kRetried:
      for (std::size_t at = 0; at < rest.size();) {
        const std::size_t end = std::min(rest.find('\n', at), rest.size());
        if (const auto found = jobs_.find(JobId(std::string(rest.substr(at, end - at)))); found != jobs_.end()) {
          found->second.failed = false;
          found->second.retried = true;
          found->second.job.attempts = 0;
          found->second.job.not_before_ms = 0;
        }
        at = end + 1;
      }
      break;
    default: ++unreadable_;
  }
}

void QueueHistory::put(std::string_view json, bool failed) {
  auto job = parse_job(json);
  if (!job.ok()) {
    ++unreadable_;
    return;
  }
  const JobId id = job->id;
  done_.erase(id);
  jobs_.insert_or_assign(id, Told{std::move(job).value(), failed, false});
}

const QueueHistory::Told* QueueHistory::of(const JobId& id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

bool QueueHistory::knows_file(const std::string& name) const {
  const auto is_of = [&name](const JobId& id) { return encode_file_name(id.str()) + ".json" == name; };
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& at) { return is_of(at.first); }) ||
         std::any_of(done_.begin(), done_.end(), is_of);
}

// Files come from before or after the journal's last record, and an operator may have moved one while nobody worked. So
// a job has failed where its file says so and no later retry was promised, or where the journal says so and no file
// waits.
QueueFile settle_job(const std::vector<QueueFile>& files, const QueueHistory::Told* told) {
  const auto waits =
      std::find_if(files.begin(), files.end(), [](const QueueFile& file) { return file.folder != JobState::kFailed; });
  const auto lies =
      std::find_if(files.begin(), files.end(), [](const QueueFile& file) { return file.folder == JobState::kFailed; });
  bool failed = lies != files.end() && waits == files.end();
  if (told != nullptr) failed = told->retried ? false : told->failed ? waits == files.end() : failed;
  if (lies != files.end() && waits != files.end() && told != nullptr) failed = told->failed;
  QueueFile settled;
  settled.folder = failed ? JobState::kFailed : JobState::kPending;
  if (failed && lies != files.end())
    settled.job = lies->job;
  else if (!failed && waits != files.end())
    settled.job = waits->job;
  else
    settled.job = told != nullptr ? told->job : files.front().job;
  return settled;
}

}  // namespace weft
