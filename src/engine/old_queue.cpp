#include "engine/old_queue.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "base/log.h"
#include "base/strings.h"
#include "flow/historian/queued_jobs.h"
#include "ports/files/file_system.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHead = 8;  // of a record: its size and its checksum, 32 bits each
constexpr std::string_view kBroken = ".broken";
constexpr const char* kTaken = "jobs_in_store";  // the note that files were looked at

// The record that begins at this place; nothing where none does.
std::string_view record_at(std::string_view log, std::size_t at) {
  if (at + kHead > log.size()) return {};
  std::uint32_t size = 0, sum = 0;
  std::memcpy(&size, log.data() + at, sizeof size);
  std::memcpy(&sum, log.data() + at + sizeof size, sizeof sum);
  if (size == 0 || size > log.size() - at - kHead) return {};
  const std::string_view record = log.substr(at + kHead, size);
  return static_cast<std::uint32_t>(XXH3_64bits(record.data(), record.size())) == sum ? record : std::string_view();
}

// A power cut leaves zeroes of what nobody flushed, and so nobody was promised.
bool was_written(std::string_view bytes) { return bytes.find_first_not_of('\0') != std::string_view::npos; }

void set_aside(const fs::path& folder, const std::string& name, std::string_view bytes, const std::string& reason) {
  const fs::path path = folder / "failed" / (name + std::string(kBroken));
  log_error("queue.broken", name + ": " + reason + "; moved to " + path.string());
  if (const Status kept = write_file(path, bytes, true); !kept.ok()) log_error("queue.broken", kept.error().message);
}

class OldQueue {
 public:
  explicit OldQueue(fs::path folder) : folder_(std::move(folder)) {}

  Status read() {
    WEFT_CHECK(read_journal());
    for (const auto& [name, state] :
         {std::pair{"failed", JobState::kFailed}, {"pending", JobState::kPending}, {"processing", JobState::kPending}})
      WEFT_CHECK(read_files(folder_ / name, state));
    return {};
  }

  // In the order in which they came.
  std::vector<Job> jobs() const {
    std::vector<Job> jobs;
    for (const auto& [id, job] : jobs_) jobs.push_back(job);
    std::stable_sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.created_ms < b.created_ms; });
    return jobs;
  }

  Status remove() {
    for (const fs::path& path : files_) WEFT_CHECK(disk().remove(path));
    return {};
  }

 private:
  Status read_journal() {
    const fs::path path = folder_ / "journal.log";
    std::error_code none;
    if (!fs::exists(path, none)) return {};
    files_.push_back(path);
    WEFT_TRY(const std::string log, read_file(path));
    for (std::size_t at = 0; at < log.size();) {
      if (const std::string_view record = record_at(log, at); !record.empty()) {
        take(record);
        at += kHead + record.size();
        continue;
      }
      std::size_t next = at + 1;
      while (next < log.size() && record_at(log, next).empty()) ++next;
      const std::string_view between = std::string_view(log).substr(at, next - at);
      // Behind the last record a torn write is nothing that somebody was promised.
      if (next < log.size() && was_written(between))
        set_aside(folder_, "journal-" + std::to_string(at), between, "a part of the journal is damaged");
      at = next;
    }
    return {};
  }

  // The first byte says what follows it: a job that waits or has failed, the id of one that is done, ids of failed ones
  // that wait again.
  void take(std::string_view record) {
    const std::string_view rest = record.substr(1);
    if (record.front() == '+' || record.front() == '!') {
      auto job = parse_job(rest);
      if (!job.ok()) return set_aside(folder_, "record", rest, job.error().message);
      job->state = record.front() == '!' ? JobState::kFailed : JobState::kPending;
      done_.erase(job->id);
      jobs_.insert_or_assign(job->id, std::move(job).value());
    } else if (record.front() == '-') {
      const JobId id{std::string(rest)};
      jobs_.erase(id);
      done_.insert(id);
    } else if (record.front() == 'R') {
      for (const std::string_view id : lines_of(rest))
        if (const auto at = jobs_.find(JobId(std::string(id))); at != jobs_.end()) {
          at->second.state = JobState::kPending;
          at->second.attempts = 0;
          at->second.not_before_ms = 0;
        }
    }
  }

  // Files matter where the journal does not know their job; and one that lies in failed/ has the reason.
  Status read_files(const fs::path& folder, JobState state) {
    std::error_code none;
    if (!fs::exists(folder, none)) return {};
    WEFT_TRY(auto paths, disk().list(folder));
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      if (path.extension() != ".json" && path.string().find(".json.tmp") == std::string::npos) continue;
      files_.push_back(path);
      if (path.extension() != ".json") continue;
      WEFT_TRY(const std::string text, read_file(path));
      auto job = parse_job(text);
      const auto is_of = [&](const JobId& id) { return encode_file_name(id.str()) + ".json" == path.filename(); };
      const bool known = std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& at) { return is_of(at.first); }) ||
                         std::any_of(done_.begin(), done_.end(), is_of);
      if (!job.ok()) {
        if (!known && was_written(text)) set_aside(folder_, path.filename().string(), text, job.error().message);
        continue;
      }
      job->state = state;
      if (done_.contains(job->id)) continue;
      const auto at = jobs_.find(job->id);
      if (at == jobs_.end() || (at->second.state == JobState::kFailed && state == JobState::kFailed))
        jobs_.insert_or_assign(job->id, std::move(job).value());
    }
    return {};
  }

  fs::path folder_;
  std::map<JobId, Job> jobs_;
  std::set<JobId> done_;
  std::vector<fs::path> files_;
};

}  // namespace

Status take_in_old_queue(Store& store, const fs::path& folder) {
  // Only once: later the folder holds at most the files that show the jobs.
  WEFT_TRY(const std::string taken, store.note(kTaken));
  if (!taken.empty()) return {};
  OldQueue queue(folder);
  WEFT_CHECK(queue.read());
  WriteBatch batch;
  batch.jobs = queue.jobs();
  for (const Job& job : batch.jobs) {
    if (job.kind != "end") continue;
    const auto end = read_end_job(job);
    if (!end.ok()) continue;
    const auto marks = info_marks(*end);
    batch.marks.insert(batch.marks.end(), marks.begin(), marks.end());
  }
  if (!batch.jobs.empty()) {
    WEFT_CHECK(store.write(batch));
    log_info("queue.moved", std::to_string(batch.jobs.size()) + " jobs were taken from files into the store");
  }
  WEFT_CHECK(store.set_note(kTaken, "yes"));
  return queue.remove();
}

Result<std::size_t> erase_broken_jobs(const fs::path& folder,
                                      const std::function<bool(std::string_view bytes)>& wanted) {
  std::error_code none;
  if (!fs::exists(folder / "failed", none)) return std::size_t{0};
  WEFT_TRY(const auto paths, disk().list(folder / "failed"));
  std::size_t gone = 0;
  for (const fs::path& path : paths) {
    if (path.extension() != kBroken) continue;
    WEFT_TRY(const std::string bytes, read_file(path));
    if (!wanted(bytes)) continue;
    WEFT_CHECK(disk().remove(path));
    ++gone;
  }
  return gone;
}

}  // namespace weft
