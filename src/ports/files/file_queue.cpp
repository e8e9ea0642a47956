#include "ports/files/file_queue.h"

#include <unistd.h>

#include <algorithm>
#include <unordered_set>

#include "base/log.h"
#include "ports/files/file.h"
#include "ports/files/job_json.h"

namespace weft {
namespace {

constexpr std::uint64_t kJournalLimit = 8 << 20;  // bytes after which an idle queue starts its journal anew
constexpr char kEnqueued = '+';
constexpr char kDone = '-';

}  // namespace

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::kPending: return "pending";
    case JobState::kProcessing: return "processing";
    case JobState::kFailed: return "failed";
  }
  return "?";
}

Result<std::unique_ptr<FileQueue>> FileQueue::open(std::filesystem::path folder) {
  std::unique_ptr<FileQueue> queue(new FileQueue(std::move(folder)));
  for (const JobState state : {JobState::kPending, JobState::kProcessing, JobState::kFailed}) {
    WEFT_CHECK(make_folder(queue->folder_ / to_string(state)));
  }
  WEFT_CHECK(queue->recover());
  return queue;
}

std::filesystem::path FileQueue::path_of(JobState state, const JobId& id) const {
  return folder_ / to_string(state) / (encode_file_name(id.str()) + ".json");
}

Status FileQueue::recover() {
  WEFT_CHECK(load_folder(JobState::kFailed));
  WEFT_CHECK(load_folder(JobState::kPending));
  WEFT_CHECK(load_folder(JobState::kProcessing));
  std::vector<Job> journalled;
  std::unordered_set<JobId> done;
  WEFT_TRY(journal_, Journal::open(folder_ / "journal.log", [&](std::string_view record) {
             if (record.empty()) return;
             if (record.front() == kDone) done.emplace(std::string(record.substr(1)));
             if (record.front() == kEnqueued) {
               if (auto job = parse_job(record.substr(1)); job.ok()) journalled.push_back(std::move(job).value());
             }
           }));
  for (Job& job : journalled) {
    if (done.contains(job.id) || entries_.contains(job.id)) continue;
    WEFT_CHECK(write_file(path_of(JobState::kPending, job.id), to_json(job), false));
    const JobId id = job.id;
    entries_[id] = {std::move(job), JobState::kPending, next_order_++};
  }
  for (auto& [id, entry] : entries_) {
    if (entry.state == JobState::kProcessing) WEFT_CHECK(move(entry, JobState::kPending));
    if (entry.state == JobState::kPending) pending_.emplace(entry.order, id);
  }
  return {};
}

Status FileQueue::load_folder(JobState state) {
  std::vector<std::filesystem::path> files;
  std::error_code code;
  for (const auto& file : std::filesystem::directory_iterator(folder_ / to_string(state), code)) {
    if (file.path().extension() == ".json")
      files.push_back(file.path());
    else if (file.path().string().find(".json.tmp") != std::string::npos)
      ::unlink(file.path().c_str());
  }
  std::vector<Job> jobs;
  for (const auto& path : files) {
    WEFT_TRY(const std::string text, read_file(path));
    auto job = parse_job(text);
    if (job.ok()) {
      jobs.push_back(std::move(job).value());
    } else if (state != JobState::kFailed) {
      log_error("queue.broken_file", path.string() + ": " + job.error().message + "; moved to failed/");
      auto aside = folder_ / "failed" / path.filename();
      aside += ".broken";
      std::filesystem::rename(path, aside, code);
      WEFT_CHECK(write_file(aside.string() + ".reason", job.error().message + "\n", false));
    }
  }
  std::sort(jobs.begin(), jobs.end(),
            [](const Job& a, const Job& b) { return std::tie(a.created_ms, a.id) < std::tie(b.created_ms, b.id); });
  for (Job& job : jobs) {
    const JobId id = job.id;
    entries_.try_emplace(id, Entry{std::move(job), state, next_order_++});
  }
  return {};
}

Status FileQueue::enqueue(const Job& job) {
  {
    std::lock_guard lock(mutex_);
    if (entries_.contains(job.id)) return {};
  }
  const std::string text = to_json(job);
  const std::shared_lock no_rewrite(rewriting_);
  WEFT_CHECK(journal_->append(kEnqueued + text, true));
  std::lock_guard lock(mutex_);
  if (entries_.contains(job.id)) return {};
  // The job is safe already; a file that cannot be written now is made again at the next start.
  if (auto written = write_file(path_of(JobState::kPending, job.id), text, false); !written.ok()) {
    log_warning("queue.file", written.error().message);
  }
  pending_.emplace(next_order_, job.id);
  entries_[job.id] = {job, JobState::kPending, next_order_++};
  return {};
}

Result<std::optional<Job>> FileQueue::take(std::int64_t now_ms) {
  std::lock_guard lock(mutex_);
  Entry* oldest = nullptr;
  for (const auto& [order, id] : pending_) {
    Entry& entry = entries_.at(id);
    if (entry.job.not_before_ms > now_ms) continue;
    oldest = &entry;
    break;
  }
  if (oldest == nullptr) return std::optional<Job>();
  ++oldest->job.attempts;
  WEFT_CHECK(move(*oldest, JobState::kProcessing));
  return std::optional<Job>(oldest->job);
}

Status FileQueue::move(Entry& entry, JobState to) {
  // Written whole before the old name goes: a crash in between leaves two files of one id, and recovery keeps one.
  const auto from = path_of(entry.state, entry.job.id);
  WEFT_CHECK(write_file(path_of(to, entry.job.id), to_json(entry.job), to == JobState::kFailed));
  if (entry.state != to) ::unlink(from.c_str());
  set_state(entry, to);
  return {};
}

void FileQueue::set_state(Entry& entry, JobState state) {
  entry.state = state;
  if (state == JobState::kPending)
    pending_.emplace(entry.order, entry.job.id);
  else
    pending_.erase(entry.order);
}

bool FileQueue::contains(const JobId& id) const {
  const std::lock_guard lock(mutex_);
  return entries_.contains(id);
}

Result<std::vector<JobId>> FileQueue::erase(const std::function<bool(const Job&)>& wanted) {
  const std::unique_lock nobody_appends(rewriting_);
  const std::lock_guard lock(mutex_);
  std::vector<JobId> gone;
  for (auto& [id, entry] : entries_) {
    if (entry.state != JobState::kProcessing && wanted(entry.job)) gone.push_back(id);
  }
  for (const JobId& id : gone) {
    const Entry& entry = entries_.at(id);
    ::unlink(path_of(entry.state, id).c_str());
    pending_.erase(entry.order);
    entries_.erase(id);
  }
  // The journal holds what was enqueued long ago too. Files are flushed first: they are all there is until it is full
  // again.
  for (const auto& [id, entry] : entries_) WEFT_CHECK(write_file(path_of(entry.state, id), to_json(entry.job), true));
  for (const JobState state : {JobState::kPending, JobState::kProcessing, JobState::kFailed})
    WEFT_CHECK(sync_folder(folder_ / to_string(state)));
  WEFT_CHECK(journal_->clear());
  return gone;
}

Status FileQueue::finish(const JobId& id) {
  std::lock_guard lock(mutex_);
  const auto at = entries_.find(id);
  if (at == entries_.end()) return {};  // erased meanwhile
  // Not flushed: a job that comes back after a power cut is recognised by the store and takes no second effect.
  WEFT_CHECK(journal_->append(kDone + id.str(), false));
  ::unlink(path_of(at->second.state, id).c_str());
  pending_.erase(at->second.order);
  entries_.erase(at);
  ++done_;
  checkpoint_if_idle();
  return {};
}

void FileQueue::checkpoint_if_idle() {
  if (journal_->bytes() < kJournalLimit) return;
  const bool busy = std::any_of(entries_.begin(), entries_.end(),
                                [](const auto& at) { return at.second.state != JobState::kFailed; });
  if (busy) return;
  if (auto cleared = journal_->clear(); !cleared.ok()) log_warning("queue.journal", cleared.error().message);
}

Status FileQueue::put_back(const JobId& id, std::string reason, std::int64_t not_before_ms) {
  std::lock_guard lock(mutex_);
  const auto at = entries_.find(id);
  if (at == entries_.end()) return not_found("no job " + id.str());
  at->second.job.reason = std::move(reason);
  at->second.job.not_before_ms = not_before_ms;
  return move(at->second, JobState::kPending);
}

Status FileQueue::fail(const JobId& id, std::string reason) {
  std::lock_guard lock(mutex_);
  const auto at = entries_.find(id);
  if (at == entries_.end()) return not_found("no job " + id.str());
  at->second.job.reason = std::move(reason);
  return move(at->second, JobState::kFailed);
}

Status FileQueue::retry(const JobId& id) {
  std::lock_guard lock(mutex_);
  const auto at = entries_.find(id);
  if (at == entries_.end() || at->second.state != JobState::kFailed) {
    return not_found("no failed job " + id.str(), "`weft queue` lists the jobs");
  }
  at->second.job.attempts = 0;
  at->second.job.not_before_ms = 0;
  at->second.order = next_order_++;
  return move(at->second, JobState::kPending);
}

FileQueue::Counts FileQueue::counts() const {
  std::lock_guard lock(mutex_);
  Counts counts;
  counts.done = done_;
  for (const auto& [id, entry] : entries_) {
    if (entry.state == JobState::kPending) ++counts.pending;
    if (entry.state == JobState::kProcessing) ++counts.processing;
    if (entry.state == JobState::kFailed) ++counts.failed;
  }
  return counts;
}

std::vector<std::pair<JobState, Job>> FileQueue::list() const {
  std::lock_guard lock(mutex_);
  std::vector<std::pair<JobState, Job>> jobs;
  for (const auto& [id, entry] : entries_) jobs.emplace_back(entry.state, entry.job);
  return jobs;
}

std::optional<std::int64_t> FileQueue::next_due() const {
  std::lock_guard lock(mutex_);
  std::optional<std::int64_t> due;
  for (const auto& [id, entry] : entries_) {
    if (entry.state != JobState::kPending) continue;
    if (!due || entry.job.not_before_ms < *due) due = entry.job.not_before_ms;
  }
  return due;
}

}  // namespace weft
