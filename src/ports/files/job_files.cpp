#include "ports/files/job_files.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "ports/files/file.h"
#include "ports/files/job_json.h"

namespace weft {
namespace {

constexpr JobState kStates[] = {JobState::kFailed, JobState::kPending, JobState::kProcessing};
constexpr std::string_view kBroken = ".broken", kReason = ".reason";

}  // namespace

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::kPending: return "pending";
    case JobState::kProcessing: return "processing";
    case JobState::kFailed: return "failed";
  }
  return "?";
}

std::filesystem::path JobFiles::path_of(JobState state, const JobId& id) const {
  return folder_ / to_string(state) / (encode_file_name(id.str()) + ".json");
}

Status JobFiles::make_folders() {
  for (const JobState state : kStates) WEFT_CHECK(files_.make_folder(folder_ / to_string(state)));
  return {};
}

Status JobFiles::sync_folders() {
  for (const JobState state : kStates) WEFT_CHECK(files_.sync_folder(folder_ / to_string(state)));
  return {};
}

void JobFiles::show(const Job& job, JobState state, std::optional<JobState>& lies_in) {
  const auto written = write_file(files_, path_of(state, job.id), to_json(job), false);
  if (!written.ok()) {
    log_warning("queue.file", written.error().message);
    return;
  }
  const auto before = std::exchange(lies_in, state);
  if (before && *before != state) (void)remove(*before, job.id);
}

Status JobFiles::remove(JobState state, const JobId& id) { return files_.remove(path_of(state, id)); }

void JobFiles::set_aside(const std::string& name, std::string_view bytes, const std::string& reason) {
  log_error("queue.broken", name + ": " + reason + "; moved to failed/");
  const std::string path = (folder_ / to_string(JobState::kFailed) / name).string() + std::string(kBroken);
  Status kept = write_file(files_, path, bytes, true);
  if (kept.ok()) kept = write_file(files_, path + std::string(kReason), reason + "\n", true);
  if (!kept.ok()) log_error("queue.broken", kept.error().message);
}

Result<std::size_t> JobFiles::set_aside() const {
  WEFT_TRY(const auto paths, files_.list(folder_ / to_string(JobState::kFailed)));
  return static_cast<std::size_t>(
      std::count_if(paths.begin(), paths.end(), [](const auto& path) { return path.extension() == kBroken; }));
}

Result<std::size_t> JobFiles::erase_set_aside(const std::function<bool(std::string_view bytes)>& wanted) {
  const std::filesystem::path failed = folder_ / to_string(JobState::kFailed);
  WEFT_TRY(const auto paths, files_.list(failed));
  std::size_t gone = 0;
  for (const auto& path : paths) {
    if (path.extension() != kBroken) continue;
    WEFT_TRY(const std::string bytes, files_.read(path));
    if (!wanted(bytes)) continue;
    WEFT_CHECK(files_.remove(path));
    WEFT_CHECK(files_.remove(path.string() + std::string(kReason)));
    ++gone;
  }
  if (gone > 0) WEFT_CHECK(files_.sync_folder(failed));
  return gone;
}

}  // namespace weft
