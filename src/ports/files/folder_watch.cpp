#include "ports/files/folder_watch.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <thread>

#if __has_include(<sys/inotify.h>)
#include <sys/inotify.h>
#define WEFT_HAS_INOTIFY 1
#else
#define WEFT_HAS_INOTIFY 0
#endif

namespace weft {
namespace {

namespace fs = std::filesystem;

// How often a wait looks whether it is to stop, where somebody may ask for that.
constexpr std::chrono::milliseconds kPart{100};

}  // namespace

Result<FolderWatch> FolderWatch::open(const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) return not_found("watch: there is no folder " + folder.string());
  FolderWatch watch(folder);
#if WEFT_HAS_INOTIFY
  watch.notices_ = FileHandle(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  watch.add(folder);
#endif
  return watch;
}

#if WEFT_HAS_INOTIFY

void FolderWatch::add(const fs::path& folder) {
  if (!notices_.open()) return;
  constexpr std::uint32_t kWhat = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR;
  const int number = ::inotify_add_watch(notices_.get(), folder.c_str(), kWhat);
  if (number < 0) {
    notices_ = FileHandle();  // there are no more to give away: the caller looks for itself
    return;
  }
  folders_[number] = folder;
  std::error_code failed;
  for (auto at = fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, failed);
       !failed && at != fs::directory_iterator(); at.increment(failed))
    if (std::error_code ignored; at->is_directory(ignored) && !at->is_symlink(ignored)) add(at->path());
}

bool FolderWatch::take_notices() {
  alignas(inotify_event) std::array<char, 16 * 1024> bytes{};
  bool any = false;
  for (;;) {
    const ssize_t got = ::read(notices_.get(), bytes.data(), bytes.size());
    if (got <= 0) return any;
    any = true;
    for (ssize_t at = 0; at < got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(bytes.data() + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      if ((event->mask & IN_IGNORED) != 0) folders_.erase(event->wd);
      const bool folder = (event->mask & IN_ISDIR) != 0 && (event->mask & (IN_CREATE | IN_MOVED_TO)) != 0;
      const auto in = folders_.find(event->wd);
      if (folder && in != folders_.end() && event->len > 0) add(in->second / fs::path(event->name));
      if (!notices_.open()) return true;
    }
  }
}

#else

void FolderWatch::add(const fs::path&) {}
bool FolderWatch::take_notices() { return false; }

#endif

void FolderWatch::wait(std::chrono::milliseconds most, const std::stop_token& stop) {
  if (!noticed()) most = std::min<std::chrono::milliseconds>(most, kLook);
  const auto until = std::chrono::steady_clock::now() + most;
  while (!stop.stop_requested()) {
    if (noticed() && take_notices()) return;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    const auto part = stop.stop_possible() ? std::min(left, kPart) : left;
    if (!noticed()) {
      std::this_thread::sleep_for(part);
      continue;
    }
    pollfd ready{notices_.get(), POLLIN, 0};
    (void)::poll(&ready, 1, static_cast<int>(part.count()));
  }
}

}  // namespace weft
