#include "ports/files/lock_state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>

#include "ports/files/file.h"

namespace weft {

LockState look_at_lock(const std::filesystem::path& workspace) {
  LockState state;
  const auto path = workspace / "weft.lock";
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return state;
  const std::string text = read_file(path).value_or("");
  std::from_chars(text.data(), text.data() + text.size(), state.process);
  // The holder's lock is for it alone, so that even a shared one cannot be had beside it. Ours goes with the handle.
  state.held = ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (state.process <= 0) return state;
  state.alive = ::kill(static_cast<pid_t>(state.process), 0) == 0 || errno == EPERM;
  state.program = read_file("/proc/" + std::to_string(state.process) + "/comm").value_or("");
  while (!state.program.empty() && state.program.back() == '\n') state.program.pop_back();
  return state;
}

}  // namespace weft
