#include "ports/mcp/mcp_transport.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "base/threads.h"
#include "ports/net/http_client.h"
#include "text/json.h"

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
  // The program's ends are its own: a reader sees the end only when nobody else can write.
  for (Pipe* one : {&output, &errors}) ::close(one->take(1));
  ::close(input.take(0));
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

namespace {

std::string header_of(const HttpResponse& response, std::string_view name) {
  for (const auto& [one, value] : response.headers)
    if (one == name) return value;
  return {};
}

class HttpTransport final : public McpTransport {
 public:
  HttpTransport(HttpClient& http, std::string url, HttpHeaders headers, OnMessage on_message)
      : http_(http), url_(std::move(url)), headers_(std::move(headers)), on_message_(std::move(on_message)) {}

  ~HttpTransport() override {
    HttpRequest request = request_of({});
    if (session().empty()) return;
    request.method = "DELETE";
    (void)http_.send(request, Deadline::after(std::chrono::milliseconds(500)));
  }

  Status restart() override {
    const std::lock_guard lock(mutex_);
    session_.clear();
    return {};
  }

  Result<std::string> ask(const McpMessage& message, const Deadline& deadline) override {
    Answer answer{message.id, {}, {}, {}};
    SseReader events;
    HttpSink sink;
    std::vector<std::string> replies;
    sink.on_head = [&](const HttpResponse& head) {
      answer.streamed = header_of(head, "content-type").starts_with("text/event-stream");
      return true;
    };
    sink.on_bytes = [&](std::string_view bytes) {
      if (!answer.streamed) {
        answer.body += bytes;
        return true;
      }
      const bool usable = events.feed(bytes, [&](const SseEvent& event) { take(event.data, answer, replies); });
      for (const std::string& reply : std::exchange(replies, {})) (void)tell({reply, {}, message.headers}, deadline);
      // The answer is all that was waited for, whether or not the server closes the stream.
      return usable && !answer.found;
    };
    const auto response = http_.stream(request_of(message), deadline, sink);
    if (answer.found) return *answer.found;
    if (!response.ok()) return response.error();
    if (const std::string given = header_of(*response, "mcp-session-id"); !given.empty()) remember(given);
    return from_body(*response, answer);
  }

  Status tell(const McpMessage& message, const Deadline& deadline) override {
    const auto response = http_.send(request_of(message), deadline);
    if (!response.ok()) return response.error();
    if (response->status >= 400) return refused(response->status, response->body);
    return {};
  }

 private:
  struct Answer {
    std::string id, body;
    std::optional<std::string> found;
    bool streamed = false;
  };

  std::string session() const {
    const std::lock_guard lock(mutex_);
    return session_;
  }
  void remember(const std::string& session) {
    const std::lock_guard lock(mutex_);
    session_ = session;
  }

  HttpRequest request_of(const McpMessage& message) const {
    HttpRequest request;
    request.url = url_;
    request.headers = headers_;
    request.headers.emplace_back("Content-Type", "application/json");
    request.headers.emplace_back("Accept", "application/json, text/event-stream");
    for (const auto& header : message.headers) request.headers.push_back(header);
    if (const std::string known = session(); !known.empty()) request.headers.emplace_back("Mcp-Session-Id", known);
    request.body = message.json;
    return request;
  }

  Error refused(int status, const std::string& body) const {
    const std::string what =
        server_of(url_) + " answered " + std::to_string(status) + (body.empty() ? "" : ": " + body.substr(0, 300));
    if (status == 404 && !session().empty()) return not_found(what, "the conversation begins anew");
    if (status == 401 || status == 403) return permission(what, "give the server's key among the headers");
    return status >= 500 ? unavailable(what) : invalid_argument(what);
  }

  Result<std::string> from_body(const HttpResponse& response, Answer& answer) const {
    const bool json = check_json(answer.body, {.max_bytes = answer.body.size() + 1}, "answer").ok();
    // Also what is refused may be told as a JSON-RPC error.
    if (json && answer.body.starts_with('{') && !json_member(answer.body, "jsonrpc").empty() &&
        !(response.status == 404 && !session().empty()))
      return answer.body;
    if (response.status >= 400) return refused(response.status, answer.body);
    return unavailable(server_of(url_) + " gave no answer to the request");
  }

  void take(const std::string& data, Answer& answer, std::vector<std::string>& replies) const {
    if (!check_json(data, {.max_bytes = data.size() + 1}, "event").ok() || !data.starts_with('{')) return;
    if (json_member(data, "method").empty()) {
      if (json_member(data, "id") == answer.id) answer.found = data;
      return;
    }
    std::string reply = on_message_(data);
    if (!reply.empty()) replies.push_back(std::move(reply));
  }

  HttpClient& http_;
  std::string url_;
  HttpHeaders headers_;
  OnMessage on_message_;
  mutable std::mutex mutex_;
  std::string session_;
};

constexpr std::chrono::milliseconds kPatience{2000};

class StdioTransport final : public McpTransport {
 public:
  StdioTransport(ProcessSpec spec, OnMessage on_message) : spec_(std::move(spec)), on_message_(std::move(on_message)) {}
  ~StdioTransport() override { stop(); }

  Status restart() override {
    stop();
    {
      const std::lock_guard lock(mutex_);
      answers_.clear();
      ended_ = false;
    }
    WEFT_TRY(auto process,
             ChildProcess::start(spec_, {[this](std::string_view line) { take(line); }, [this] { end(); }}));
    const std::lock_guard lock(process_mutex_);
    process_ = std::move(process);
    return {};
  }

  Result<std::string> ask(const McpMessage& message, const Deadline& deadline) override {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return gone();
      answers_[message.id];
    }
    if (const Status sent = tell(message, deadline); !sent.ok()) {
      const std::lock_guard lock(mutex_);
      answers_.erase(message.id);
      return sent.error();
    }
    std::unique_lock lock(mutex_);
    const auto there = [&] { return ended_ || answers_[message.id].has_value(); };
    const bool come = deadline.until() ? changed_.wait_until(lock, deadline.cancel(), *deadline.until(), there)
                                       : changed_.wait(lock, deadline.cancel(), there);
    std::optional<std::string> answer = std::move(answers_[message.id]);
    answers_.erase(message.id);
    if (answer) return *answer;
    if (come) return gone();
    return deadline.cancelled() ? cancelled("the caller gave up") : timed_out("the server did not answer in time");
  }

  Status tell(const McpMessage& message, const Deadline&) override {
    const auto process = running();
    return process ? process->write_line(message.json) : Status(gone());
  }

 private:
  std::shared_ptr<ChildProcess> running() const {
    const std::lock_guard lock(process_mutex_);
    return process_;
  }

  // The program's threads call this object: it must be gone before what they use.
  void stop() {
    std::shared_ptr<ChildProcess> process;
    {
      const std::lock_guard lock(process_mutex_);
      process.swap(process_);
    }
    if (process) process->stop(kPatience);
  }

  Error gone() const {
    const auto process = running();
    const std::string said = process ? process->last_errors() : std::string();
    return unavailable(spec_.arguments.front() + " has ended" + (said.empty() ? "" : "; it said: " + said));
  }

  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  void take(std::string_view line) {
    // Programs print other things, too, which are no messages.
    if (!check_json(line, {.max_bytes = line.size() + 1}, "message").ok() || !line.starts_with('{')) return;
    const std::string_view id = json_member(line, "id");
    if (json_member(line, "method").empty()) {
      const std::lock_guard lock(mutex_);
      const auto asked = answers_.find(std::string(id));
      if (asked != answers_.end()) asked->second = std::string(line);
      changed_.notify_all();
      return;
    }
    const std::string answer = on_message_(line);
    const auto process = running();
    if (!answer.empty() && process) (void)process->write_line(answer);
  }

  ProcessSpec spec_;
  OnMessage on_message_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::optional<std::string>> answers_;  ///< by the JSON of the id; empty: still to come
  bool ended_ = true;
  mutable std::mutex process_mutex_;
  std::shared_ptr<ChildProcess> process_;
};

}  // namespace

std::unique_ptr<McpTransport> open_http_transport(HttpClient& http, std::string url, HttpHeaders headers,
                                                  McpTransport::OnMessage on_message) {
  return std::make_unique<HttpTransport>(http, std::move(url), std::move(headers), std::move(on_message));
}

Result<std::unique_ptr<McpTransport>> open_stdio_transport(std::vector<std::string> command,
                                                           std::vector<std::pair<std::string, std::string>> environment,
                                                           McpTransport::OnMessage on_message) {
  auto transport = std::make_unique<StdioTransport>(ProcessSpec{std::move(command), std::move(environment), {}},
                                                    std::move(on_message));
  WEFT_CHECK(transport->restart());
  return std::unique_ptr<McpTransport>(std::move(transport));
}

}  // namespace weft
