#include "agent/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/broken_pipe.h"
#include "base/clock.h"

namespace weft {
namespace {

class Pipe {
 public:
  static Result<Pipe> open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return unavailable("no pipe: " + std::string(std::strerror(errno)));
    return Pipe(ends[0], ends[1]);
  }
  Pipe(Pipe&& other) noexcept : read_(std::exchange(other.read_, -1)), write_(std::exchange(other.write_, -1)) {}
  Pipe& operator=(Pipe&&) = delete;
  ~Pipe() {
    close_read();
    close_write();
  }
  int read_end() const { return read_; }
  int write_end() const { return write_; }
  void close_read() { shut(read_); }
  void close_write() { shut(write_); }

 private:
  Pipe(int read, int write) : read_(read), write_(write) {}
  static void shut(int& end) {
    if (end >= 0) ::close(std::exchange(end, -1));
  }
  int read_, write_;
};

std::vector<std::string> environment_of(const ProcessCall& call) {
  std::vector<std::string> all;
  for (const char* name : {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ"})
    if (const char* value = std::getenv(name)) all.push_back(std::string(name) + "=" + value);
  for (const auto& [name, value] : call.environment) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// Between fork and exec only what is safe there is called; everything is made before.
[[noreturn]] void become(char* const* command, char* const* environment, const char* folder, int in, int out,
                         int fault) {
  ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  if (::chdir(folder) == 0 && ::dup2(in, 0) >= 0 && ::dup2(out, 1) >= 0 && ::dup2(out, 2) >= 0)
    ::execvpe(command[0], command, environment);
  const int why = errno;
  (void)!::write(fault, &why, sizeof why);
  ::_exit(127);
}

/// A child that is killed with its group, and waited for, whatever happens.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill_group();
    if (!ended_) (void)wait();
  }
  void kill_group() const { ::kill(-id_, SIGKILL); }
  bool has_ended() {
    if (!ended_ && ::waitpid(id_, &status_, WNOHANG) == id_) ended_ = true;
    return ended_;
  }
  int wait() {
    while (!ended_) {
      if (::waitpid(id_, &status_, 0) == id_ || errno != EINTR) ended_ = true;
    }
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

 private:
  pid_t id_;
  int status_ = 0;
  bool ended_ = false;
};

// Reads what is there. False at the end of the stream.
bool take_output(int from, const ProcessCall& call, ProcessEnd& end) {
  char buffer[16384];
  const ssize_t got = ::read(from, buffer, sizeof buffer);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  const auto count = static_cast<std::size_t>(got);
  const std::size_t room = call.most_bytes - std::min(call.most_bytes, end.output.size());
  end.output.append(buffer, std::min(room, count));
  end.dropped += count - std::min(room, count);
  return count > 0;
}

Status exchange_streams(const ProcessCall& call, Pipe& in, Pipe& out, Child& child, ProcessEnd& end) {
  ::fcntl(in.write_end(), F_SETFL, O_NONBLOCK);
  const BrokenPipeIsAnError held;
  std::string_view unsent = call.input;
  bool reading = true;
  while (reading) {
    if (call.deadline.cancelled()) return cancelled("the program was stopped");
    if (call.deadline.passed()) return timed_out("the program did not end in time and was killed");
    if (unsent.empty()) in.close_write();
    pollfd watched[2] = {{out.read_end(), POLLIN, 0}, {in.write_end(), POLLOUT, 0}};
    const int wait =
        static_cast<int>(std::min<std::int64_t>(50, call.deadline.left(std::chrono::milliseconds(50)).count()));
    if (::poll(watched, unsent.empty() ? 1 : 2, wait) < 0 && errno != EINTR) return unavailable("poll failed");
    if (watched[0].revents != 0) reading = take_output(out.read_end(), call, end);
    // A program that is gone may have left others that hold its stream.
    else if (child.has_ended())
      reading = false;
    if (!unsent.empty() && watched[1].revents != 0) {
      const ssize_t sent = ::write(in.write_end(), unsent.data(), unsent.size());
      if (sent >= 0)
        unsent.remove_prefix(static_cast<std::size_t>(sent));
      else if (errno != EAGAIN && errno != EINTR)
        unsent = {};  // it does not read what it was given
    }
  }
  in.close_write();
  while (!child.has_ended()) {
    if (call.deadline.passed()) return timed_out("the program did not end in time and was killed");
    ::usleep(2000);
  }
  return {};
}

}  // namespace

Result<ProcessEnd> run_process(const ProcessCall& call) {
  if (call.command.empty() || call.command.front().empty()) return invalid_argument("there is no program to run");
  WEFT_TRY(Pipe in, Pipe::open());
  WEFT_TRY(Pipe out, Pipe::open());
  WEFT_TRY(Pipe fault, Pipe::open());
  std::vector<std::string> command = call.command, environment = environment_of(call);
  const auto arguments = pointers(command), variables = pointers(environment);
  const std::string folder = call.folder.empty() ? "." : call.folder.string();
  const pid_t id = ::fork();
  if (id < 0) return unavailable("no process could be made: " + std::string(std::strerror(errno)));
  if (id == 0)
    become(arguments.data(), variables.data(), folder.c_str(), in.read_end(), out.write_end(), fault.write_end());
  Child child(id);
  ::setpgid(id, id);
  in.close_read();
  out.close_write();
  fault.close_write();
  int why = 0;
  if (::read(fault.read_end(), &why, sizeof why) == sizeof why)
    return not_found(call.command.front() + " cannot be run in " + folder + ": " + std::strerror(why));
  ProcessEnd end;
  WEFT_CHECK(exchange_streams(call, in, out, child, end));
  end.code = child.wait();
  return end;
}

}  // namespace weft
