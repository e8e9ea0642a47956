#include "ports/files/job_mirror.h"

#include <algorithm>

#include "ports/files/file_system.h"

namespace weft {
namespace {

constexpr JobState kStates[] = {JobState::kPending, JobState::kProcessing, JobState::kFailed};

}  // namespace

// The files of an earlier run, whose content does not matter: what is still right is written once more.
Status JobMirror::find_files() {
  shown_.emplace();
  for (const JobState state : kStates) {
    const auto folder = folder_ / to_string(state);
    WEFT_CHECK(make_folder(folder));
    WEFT_TRY(const auto paths, disk().list(folder));
    for (const auto& path : paths)
      if (path.extension() == ".json") shown_->emplace(path.string(), std::string());
  }
  return {};
}

Status JobMirror::show(std::span<const Job> jobs) {
  if (!shown_) WEFT_CHECK(find_files());
  std::set<std::pair<std::string, std::string>> wanted;
  std::set<std::string> paths;
  for (const Job& job : jobs) {
    const auto path = folder_ / to_string(job.state) / (encode_file_name(job.id.str()) + ".json");
    wanted.emplace(path.string(), to_json(job));
    paths.insert(path.string());
  }
  for (const auto& [path, content] : wanted)
    if (!shown_->contains({path, content})) WEFT_CHECK(write_file(path, content, false));
  for (const auto& [path, content] : *shown_)
    if (!paths.contains(path)) WEFT_CHECK(disk().remove(path));
  shown_ = std::move(wanted);
  return {};
}

}  // namespace weft
