#include "ports/files/file_queue.h"

#include <algorithm>

#include "base/log.h"
#include "base/threads.h"
#include "ports/files/job_cause.h"
#include "ports/files/job_json.h"
#include "ports/files/queue_recovery.h"

namespace weft {
namespace {

constexpr std::uint64_t kJournalLimit = 8 << 20;  // bytes from which on a journal of mostly finished jobs is made anew
std::string record_of(char kind, std::string_view rest) { return kind + std::string(rest); }

}  // namespace

Result<std::unique_ptr<FileQueue>> FileQueue::open(std::filesystem::path folder, FileSystem& files) {
  std::unique_ptr<FileQueue> queue(new FileQueue(std::move(folder), files));
  WEFT_CHECK(queue->files_.make_folders());
  WEFT_CHECK(queue->recover());
  return queue;
}

void FileQueue::add(Job job, JobState state, std::optional<JobState> file) {
  const JobId id = job.id;
  const std::uint64_t order = next_order_++;
  entries_[id] = {std::move(job), state, order, 0, file};
  if (state == JobState::kPending) pending_.emplace(order, id);
}

Status FileQueue::enqueue(const Job& given, bool durable) {
  Job job = given;
  job.payload = with_cause(std::move(job.payload));
  const std::string text = to_json(job);
  std::unique_lock lock(mutex_);
  // Who brings a job that somebody else is bringing may not be told of success before it is safe.
  arrived_.wait(lock, [&] { return !arriving_.contains(job.id); });
  if (entries_.contains(job.id)) return {};
  if (!journal_->trouble().ok()) WEFT_CHECK(rewrite_journal());
  arriving_.emplace(job.id, job);
  {
    const AtEnd arrived([&] {
      lock.lock();
      arriving_.erase(job.id);
      arrived_.notify_all();
    });
    lock.unlock();
    WEFT_CHECK(journal_->append(record_of(queue_record::kEnqueued, text), durable));
  }
  add(job, JobState::kPending);
  Entry& entry = entries_.at(job.id);
  files_.show(entry.job, entry.state, entry.file);
  return {};
}

FileQueue::Entry* FileQueue::next_to_run(std::int64_t now_ms) {
  for (const JobId& id : processing_) {
    Entry& entry = entries_.at(id);
    if (entry.lease_until_ms <= now_ms) return &entry;
  }
  for (const auto& [order, id] : pending_) {
    Entry& entry = entries_.at(id);
    if (entry.job.not_before_ms <= now_ms) return &entry;
  }
  return nullptr;
}

Result<std::optional<Job>> FileQueue::take(std::int64_t now_ms, std::int64_t lease_ms) {
  const std::lock_guard lock(mutex_);
  Entry* const next = next_to_run(now_ms);
  if (next == nullptr) return std::optional<Job>();
  if (next->state == JobState::kProcessing)
    log_error("queue.lease", "job " + next->job.id.str() + " was not finished within its lease and is taken up again");
  ++next->job.attempts;
  next->lease_until_ms = now_ms + lease_ms;
  move(*next, JobState::kProcessing);
  return std::optional<Job>(next->job);
}

void FileQueue::move(Entry& entry, JobState to) {
  if (entry.state == JobState::kPending) pending_.erase(entry.order);
  if (entry.state == JobState::kProcessing) processing_.erase(entry.job.id);
  entry.state = to;
  if (to == JobState::kPending) pending_.emplace(entry.order, entry.job.id);
  if (to == JobState::kProcessing) processing_.insert(entry.job.id);
  files_.show(entry.job, entry.state, entry.file);
}

FileQueue::Entry* FileQueue::taken(const JobId& id, int attempt) {
  const auto at = entries_.find(id);
  if (at == entries_.end() || (attempt != 0 && at->second.job.attempts != attempt)) return nullptr;
  return &at->second;
}

bool FileQueue::contains(const JobId& id) const {
  const std::lock_guard lock(mutex_);
  return entries_.contains(id);
}

// A record that is not needed for a promise: where it cannot be kept the job is only taken up once more.
Status FileQueue::note(const std::string& record, bool durable) {
  Status noted = journal_->append(record, durable);
  if (!noted.ok()) log_warning("queue.journal", noted.error().message);
  return noted;
}

Status FileQueue::finish(const JobId& id, int attempt) {
  const std::lock_guard lock(mutex_);
  Entry* const entry = taken(id, attempt);
  if (entry == nullptr) return {};  // erased meanwhile, or taken up again by another
  if (entry->file) (void)files_.remove(*entry->file, id);
  pending_.erase(entry->order);
  processing_.erase(id);
  entries_.erase(id);
  ++done_;
  // Not flushed: a job that comes back after a power cut is recognised by the store and takes no second effect.
  (void)note(record_of(queue_record::kDone, id.str()), false);
  shorten_journal();
  return {};
}

Status FileQueue::put_back(const JobId& id, std::string reason, std::int64_t not_before_ms, int attempt) {
  const std::lock_guard lock(mutex_);
  Entry* const entry = taken(id, attempt);
  if (entry == nullptr) return not_found("no job " + id.str() + " in work");
  entry->job.reason = std::move(reason);
  entry->job.not_before_ms = not_before_ms;
  move(*entry, JobState::kPending);
  return {};
}

Status FileQueue::fail(const JobId& id, std::string reason, int attempt) {
  const std::lock_guard lock(mutex_);
  Entry* const entry = taken(id, attempt);
  if (entry == nullptr) return not_found("no job " + id.str() + " in work");
  entry->job.reason = std::move(reason);
  move(*entry, JobState::kFailed);
  return note(record_of(queue_record::kFailed, to_json(entry->job)), true);
}

Status FileQueue::retry(const JobId& id) {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(id);
  if (at == entries_.end() || at->second.state != JobState::kFailed) {
    return not_found("no failed job " + id.str(), "`weft queue list` lists the jobs");
  }
  WEFT_CHECK(note(record_of(queue_record::kRetried, id.str()), true));
  at->second.job.attempts = 0;
  at->second.job.not_before_ms = 0;
  at->second.order = next_order_++;
  move(at->second, JobState::kPending);
  return {};
}

Result<std::size_t> FileQueue::retry_failed() {
  const std::lock_guard lock(mutex_);
  std::vector<Entry*> failed;
  std::string ids;
  for (auto& [id, entry] : entries_) {
    if (entry.state != JobState::kFailed) continue;
    failed.push_back(&entry);
    ids += (ids.empty() ? "" : "\n") + id.str();
  }
  if (failed.empty()) return std::size_t{0};
  // One record: all of them wait again, or none does.
  WEFT_CHECK(note(record_of(queue_record::kRetried, ids), true));
  for (Entry* entry : failed) {
    entry->job.attempts = 0;
    entry->job.not_before_ms = 0;
    entry->order = next_order_++;
    move(*entry, JobState::kPending);
  }
  return failed.size();
}

FileQueue::Counts FileQueue::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts;
  counts.pending = pending_.size();
  counts.processing = processing_.size();
  counts.failed = entries_.size() - counts.pending - counts.processing;
  counts.done = done_;
  counts.broken = broken_;
  return counts;
}

std::vector<std::pair<JobState, Job>> FileQueue::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<JobState, Job>> jobs;
  for (const auto& [id, entry] : entries_) jobs.emplace_back(entry.state, entry.job);
  return jobs;
}

std::optional<std::int64_t> FileQueue::next_due() const {
  const std::lock_guard lock(mutex_);
  std::optional<std::int64_t> due;
  const auto take_earlier = [&due](std::int64_t time) { due = std::min(due.value_or(time), time); };
  for (const auto& [order, id] : pending_) take_earlier(entries_.at(id).job.not_before_ms);
  for (const JobId& id : processing_) take_earlier(entries_.at(id).lease_until_ms);
  return due;
}

std::optional<std::int64_t> FileQueue::waiting_since(std::int64_t now_ms) const {
  const std::lock_guard lock(mutex_);
  std::optional<std::int64_t> since;
  for (const auto& [order, id] : pending_) {
    const Job& job = entries_.at(id).job;
    const std::int64_t could = std::max(job.created_ms, job.not_before_ms);
    if (could <= now_ms) since = std::min(since.value_or(could), could);
  }
  return since;
}

// All that is needed, as it is in memory. Called with the lock held, so that nobody is told of what it would lack.
Status FileQueue::rewrite_journal() {
  std::vector<std::string> records;
  for (const auto& [id, entry] : entries_) {
    const char kind = entry.state == JobState::kFailed ? queue_record::kFailed : queue_record::kEnqueued;
    records.push_back(record_of(kind, to_json(entry.job)));
  }
  for (const auto& [id, job] : arriving_) records.push_back(record_of(queue_record::kEnqueued, to_json(job)));
  WEFT_CHECK(journal_->rewrite(records));
  living_bytes_ = journal_->bytes();
  return {};
}

void FileQueue::shorten_journal() {
  if (journal_->bytes() < std::max(kJournalLimit, 4 * living_bytes_)) return;
  if (auto rewritten = rewrite_journal(); !rewritten.ok()) log_warning("queue.journal", rewritten.error().message);
}

// What is being enqueued is neither there nor not there: it is waited for.
Status FileQueue::wait_for_arriving(const std::function<bool(const Job&)>& wanted, std::unique_lock<std::mutex>& lock) {
  std::vector<JobId> ids;
  for (const auto& [id, job] : arriving_)
    if (wanted(job)) ids.push_back(id);
  for (const JobId& id : ids) arrived_.wait(lock, [&] { return !arriving_.contains(id); });
  return {};
}

Result<std::vector<JobId>> FileQueue::erase(const std::function<bool(const Job&)>& wanted) {
  std::unique_lock lock(mutex_);
  WEFT_CHECK(wait_for_arriving(wanted, lock));
  std::vector<JobId> gone;
  for (auto& [id, entry] : entries_) {
    if (wanted(entry.job)) gone.push_back(id);
  }
  for (const JobId& id : gone) {
    const Entry& entry = entries_.at(id);
    if (entry.file) WEFT_CHECK(files_.remove(*entry.file, id));
    pending_.erase(entry.order);
    processing_.erase(id);
    entries_.erase(id);
  }
  // The journal holds what was enqueued long ago too. A file that came back after a power cut would be a job again.
  WEFT_CHECK(rewrite_journal());
  WEFT_CHECK(files_.sync_folders());
  return gone;
}

Result<std::size_t> FileQueue::erase_broken(const std::function<bool(std::string_view bytes)>& wanted) {
  const std::lock_guard lock(mutex_);
  WEFT_TRY(const std::size_t gone, files_.erase_set_aside(wanted));
  broken_ -= std::min(broken_, gone);
  return gone;
}

}  // namespace weft
