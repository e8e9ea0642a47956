// Researches and what is erased.
#include <thread>

#include "engine/researches.h"
#include "ports/files/file.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{5};  // for those at work to stop

// What was found in memory stands in a research's streams and in its report, in the words of the messages.
bool goes(const fs::path& folder, const ErasedMessages& gone) {
  if (gone.everything) return true;
  std::error_code error;
  for (fs::directory_iterator one(folder, error); !error && one != fs::directory_iterator(); one.increment(error))
    if (const auto text = read_file(one->path()); text.ok() && gone.repeats(*text)) return true;
  return false;
}

}  // namespace

Status Researches::erase(const ErasedMessages& lost) {
  const ScopeKey& scope = lost.scope;
  std::vector<std::shared_ptr<Active>> own;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [key, one] : active_)
      if (one->scope == scope) own.push_back(one);
  }
  for (const auto& one : own) one->stop.request_stop();
  const Deadline patience = Deadline::after(kPatience);
  for (const auto& one : own)
    while (!one->done && !patience.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const fs::path folder = folder_of(scope, "x").parent_path();
  std::error_code error;
  // Below the folder of the command's own user lie those of the others, which have no task.
  std::vector<fs::path> gone;
  for (fs::directory_iterator one(folder, error); !error && one != fs::directory_iterator(); one.increment(error))
    if (fs::exists(one->path() / "task.json") && goes(one->path(), lost)) gone.push_back(one->path());
  for (const fs::path& one : gone) {
    std::error_code failed;
    fs::remove_all(one, failed);
    if (failed) return unavailable("removing " + one.string() + ": " + failed.message());
  }
  return {};
}

}  // namespace weft
