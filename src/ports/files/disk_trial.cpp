#include "ports/files/disk_trial.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>

#include "ports/files/file_system.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTrialBytes = 64 * 1024;
constexpr std::size_t kMostEntries = 100'000;

// Files that only their owner may read: keys, who did what, fingerprints of what was erased, the command's door.
bool is_private(const fs::path& inside) {
  const std::string path = inside.string();
  return path == "keys.jsonl" || path == "audit.jsonl" || path == "weft.sock" || path.ends_with(".traces.json");
}

}  // namespace

Result<double> try_disk(const fs::path& folder) {
  // A name that backups leave out, should it stay behind.
  const fs::path path = folder / (".trial-" + std::to_string(::getpid()) + ".tmp");
  std::string text(kTrialBytes, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  const auto begun = std::chrono::steady_clock::now();
  Status done = write_file(path, text, true);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  if (done.ok()) {
    const auto again = read_file(path);
    if (!again.ok())
      done = again.error();
    else if (*again != text)
      done = corrupt(path.string() + " reads otherwise than it was written", "the disk is broken: replace it");
  }
  const Status removed = disk().remove(path);
  WEFT_CHECK(done);
  WEFT_CHECK(removed);
  return ms;
}

Result<DiskSpace> disk_space(const fs::path& folder) {
  struct statvfs state{};
  if (::statvfs(folder.c_str(), &state) != 0) return file_error("look at the disk of", folder);
  DiskSpace space;
  space.bytes = static_cast<std::uint64_t>(state.f_bavail) * state.f_frsize;
  space.files = state.f_favail;
  space.counts_files = state.f_files > 0;
  space.read_only = (state.f_flag & ST_RDONLY) != 0;
  return space;
}

std::vector<WrongRights> wrong_rights(const fs::path& workspace) {
  std::vector<WrongRights> found;
  struct stat top{};
  if (::stat(workspace.c_str(), &top) != 0) return found;
  if (::access(workspace.c_str(), R_OK | W_OK | X_OK) != 0) found.push_back({WrongRights::Kind::kClosed, workspace});
  std::error_code code;
  std::size_t seen = 0;
  auto at = fs::recursive_directory_iterator(workspace, fs::directory_options::skip_permission_denied, code);
  for (; !code && at != fs::recursive_directory_iterator() && seen < kMostEntries; at.increment(code), ++seen) {
    struct stat one{};
    if (::lstat(at->path().c_str(), &one) != 0 || S_ISLNK(one.st_mode)) continue;
    const int wanted = S_ISDIR(one.st_mode) ? R_OK | W_OK | X_OK : R_OK | W_OK;
    if (::access(at->path().c_str(), wanted) != 0)
      found.push_back({WrongRights::Kind::kClosed, at->path()});
    else if (one.st_uid != top.st_uid)
      found.push_back({WrongRights::Kind::kForeign, at->path()});
    else if ((one.st_mode & (S_IRWXG | S_IRWXO)) != 0 && is_private(at->path().lexically_relative(workspace)))
      found.push_back({WrongRights::Kind::kOpen, at->path()});
  }
  return found;
}

}  // namespace weft
