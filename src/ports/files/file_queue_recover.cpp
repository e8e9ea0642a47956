// What a queue does when it is opened after whatever happened.
#include <algorithm>
#include <tuple>

#include "base/log.h"
#include "ports/files/file.h"
#include "ports/files/file_queue.h"
#include "ports/files/job_json.h"
#include "ports/files/queue_recovery.h"

namespace weft {
namespace {

constexpr std::uint64_t kDeadBytes = 64 << 10;  // of finished jobs, that are worth a new journal

// What a power cut leaves of bytes that nobody flushed, and so nobody was promised.
bool never_written(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

struct Found {
  std::map<JobId, std::vector<QueueFile>> jobs;
  std::vector<std::tuple<std::string, std::string, std::string>> broken;  // path, bytes, reason
};

Status read_folder(FileSystem& files, const std::filesystem::path& folder, JobState state, const QueueHistory& history,
                   Found& found) {
  WEFT_TRY(auto paths, files.list(folder));
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    if (path.string().find(".json.tmp") != std::string::npos) {
      WEFT_CHECK(files.remove(path));
      continue;
    }
    if (path.extension() != ".json") continue;
    WEFT_TRY(std::string text, files.read(path));
    auto job = parse_job(text);
    if (job.ok() && !history.done(job->id)) {
      const JobId id = job->id;
      found.jobs[id].push_back({std::move(job).value(), state});
    } else if (job.ok() || never_written(text) || history.knows_file(path.filename().string())) {
      WEFT_CHECK(files.remove(path));
    } else {
      found.broken.emplace_back(path.string(), std::move(text), job.error().message);
    }
  }
  return {};
}

}  // namespace

Status FileQueue::recover() {
  QueueHistory history;
  std::vector<Journal::Damage> damage;
  WEFT_TRY(journal_, Journal::open(
                         files_.disk(), files_.folder() / "journal.log",
                         [&](std::string_view record) { history.read(record); }, damage));
  if (history.unreadable() > 0)
    log_error("queue.broken",
              std::to_string(history.unreadable()) + " records of the journal are of no kind known here");
  Found found;
  for (const JobState state : {JobState::kFailed, JobState::kPending, JobState::kProcessing})
    WEFT_CHECK(read_folder(files_.disk(), files_.folder() / to_string(state), state, history, found));
  for (const auto& [path, bytes, reason] : found.broken) {
    files_.set_aside(std::filesystem::path(path).filename().string(), bytes, reason);
    WEFT_CHECK(files_.disk().remove(path));
  }
  std::erase_if(damage, [](const Journal::Damage& part) { return never_written(part.bytes); });
  for (const auto& part : damage)
    files_.set_aside(
        "journal-" + std::to_string(part.place), part.bytes,
        std::to_string(part.bytes.size()) + " bytes of the journal are damaged; what stands behind them was kept");

  std::vector<QueueFile> jobs;
  bool unknown = false;
  for (const auto& [id, told] : history.jobs()) {
    const auto files = found.jobs.find(id);
    jobs.push_back(settle_job(files == found.jobs.end() ? std::vector<QueueFile>() : files->second, &told));
  }
  for (const auto& [id, files] : found.jobs) {
    if (history.of(id) != nullptr) continue;
    jobs.push_back(settle_job(files, nullptr));
    unknown = true;
  }
  std::sort(jobs.begin(), jobs.end(), [](const QueueFile& a, const QueueFile& b) {
    return std::tie(a.job.created_ms, a.job.id) < std::tie(b.job.created_ms, b.job.id);
  });
  for (QueueFile& one : jobs) {
    const JobId id = one.job.id;
    add(std::move(one.job), one.folder);
    const auto files = found.jobs.find(id);
    bool shown = false;
    for (const QueueFile& file : files == found.jobs.end() ? std::vector<QueueFile>() : files->second) {
      if (file.folder == one.folder)
        shown = true;
      else
        WEFT_CHECK(files_.remove(file.folder, id));
    }
    Entry& entry = entries_.at(id);
    if (shown)
      entry.file = one.folder;
    else
      files_.show(entry.job, entry.state, entry.file);
  }
  WEFT_TRY(broken_, files_.set_aside());
  // From here on the journal has every job, so that no file is needed.
  if (!unknown && damage.empty() && journal_->bytes() < kDeadBytes) return {};
  return rewrite_journal();
}

}  // namespace weft
