#include "ports/process/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/broken_pipe.h"
#include "base/guarded.h"
#include "base/threads.h"

extern char** environ;

namespace weft {
namespace {

constexpr std::size_t kErrorsKept = 4096;

// Both ends of a pipe, closed where they were not taken.
struct Pipe {
  std::array<int, 2> ends{-1, -1};

  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  bool open() { return ::pipe2(ends.data(), O_CLOEXEC) == 0; }
  int take(int end) { return std::exchange(ends[static_cast<std::size_t>(end)], -1); }
};

// What posix_spawn needs, freed at the end.
struct SpawnActions {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  SpawnActions() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    // A group of its own, so that everything it starts can be ended with it; no signal is blocked or ignored in it.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    posix_spawnattr_setsigdefault(&attributes, &signals);
  }
  ~SpawnActions() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
};

std::vector<std::string> environment_of(const ProcessSpec& spec) {
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view line = *one;
    const std::string_view name = line.substr(0, line.find('='));
    bool replaced = false;
    for (const auto& [ours, value] : spec.environment) replaced = replaced || ours == name;
    if (!replaced) all.emplace_back(line);
  }
  for (const auto& [name, value] : spec.environment) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& one : texts) out.push_back(const_cast<char*>(one.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const ProcessSpec& spec, Listener listener) {
  if (spec.arguments.empty() || spec.arguments.front().empty())
    return invalid_argument("a program has no name", "give the command first");
  Pipe input, output, errors;
  if (!input.open() || !output.open() || !errors.open())
    return unavailable(std::string("cannot make a pipe: ") + std::strerror(errno));
  SpawnActions actions;
  posix_spawn_file_actions_adddup2(&actions.files, input.ends[0], 0);
  posix_spawn_file_actions_adddup2(&actions.files, output.ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions.files, errors.ends[1], 2);
  if (!spec.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions.files, spec.folder.c_str());
  const auto environment = environment_of(spec);
  pid_t process = 0;
  const int failed = ::posix_spawnp(&process, spec.arguments.front().c_str(), &actions.files, &actions.attributes,
                                    pointers(spec.arguments).data(), pointers(environment).data());
  if (failed == ENOENT)
    return not_found("there is no program \"" + spec.arguments.front() + "\"", "install it, or give its whole path");
  if (failed != 0) return unavailable("cannot start " + spec.arguments.front() + ": " + std::strerror(failed));
  std::unique_ptr<ChildProcess> child(new ChildProcess(process, input.take(1), std::move(listener)));
  // A reader closes its end of the pipe, one that does not begin leaves it to this function.
  const auto read = [&](std::thread& reader, Pipe& pipe, void (ChildProcess::*with)(int)) {
    Status begun = start_thread(reader, spec.arguments.front(),
                                [with, self = child.get(), end = pipe.ends[0]] { (self->*with)(end); });
    if (begun.ok()) pipe.take(0);
    return begun;
  };
  WEFT_CHECK(read(child->error_reader_, errors, &ChildProcess::read_errors));
  WEFT_CHECK(read(child->output_reader_, output, &ChildProcess::read_output));
  return child;
}

ChildProcess::ChildProcess(int process, int input, Listener listener)
    : process_(process), listener_(std::move(listener)), input_(input) {}

ChildProcess::~ChildProcess() {
  stop(std::chrono::milliseconds(500));
  if (output_reader_.joinable()) output_reader_.join();
  if (error_reader_.joinable()) error_reader_.join();
}

Status ChildProcess::write_line(std::string_view line) {
  const std::string bytes = std::string(line) + "\n";
  const std::lock_guard lock(input_mutex_);
  const BrokenPipeIsAnError held;
  std::string_view left = bytes;
  while (!left.empty()) {
    if (input_ < 0) return unavailable("the program was stopped");
    const ssize_t put = ::write(input_, left.data(), left.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return unavailable(std::string("the program takes nothing any more: ") + std::strerror(errno));
    left.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

void ChildProcess::read_output(int output) {
  std::string line;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = ::read(output, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || line.size() > kLongestLine) break;
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
      line += bytes.substr(0, end);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      guarded_or_logged("process.line", [&] { listener_.on_line(line); });
      line.clear();
      bytes.remove_prefix(end + 1);
    }
    line += bytes;
  }
  ::close(output);
  guarded_or_logged("process.end", [&] { listener_.on_end(); });
}

void ChildProcess::read_errors(int errors) {
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(errors, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    const std::lock_guard lock(errors_mutex_);
    errors_.append(buffer.data(), static_cast<std::size_t>(got));
    if (errors_.size() > kErrorsKept) errors_.erase(0, errors_.size() - kErrorsKept);
  }
  ::close(errors);
}

std::string ChildProcess::last_errors() const {
  const std::lock_guard lock(errors_mutex_);
  return errors_;
}

void ChildProcess::stop(std::chrono::milliseconds patience) {
  const std::lock_guard once(stop_mutex_);
  if (std::exchange(stopped_, true)) return;
  {
    const std::lock_guard lock(input_mutex_);
    ::close(std::exchange(input_, -1));
  }
  const auto ended = [&] {
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
      // Left as a zombie, so that the group's number stays its own until the group is ended.
      siginfo_t info{};
      if (::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0)
        return true;
      if (std::chrono::steady_clock::now() >= until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  if (!ended()) {
    ::kill(-process_, SIGTERM);
    (void)ended();
  }
  ::kill(-process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace weft
