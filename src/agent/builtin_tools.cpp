#include "agent/builtin_tools.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "agent/run_state.h"
#include "agent/tool.h"
#include "base/clock.h"
#include "base/strings.h"
#include "base/threads.h"
#include "text/tool_arguments.h"
#include "text/utf8.h"
#include "weft/tool_parameters.h"

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

namespace {

namespace fs = std::filesystem;

Error file_trouble(const std::string& doing, const std::string& path) {
  const std::string text = doing + " " + path + ": " + std::strerror(errno);
  return errno == ENOENT ? not_found(text, "file_list shows what there is") : permission(text);
}

Error leads_out(const std::string& path) {
  return permission("\"" + path + "\" leads out of the work folder", "paths are below it, such as notes/plan.md");
}

/// A descriptor that closes itself.
struct Descriptor {
  int id = -1;
  explicit Descriptor(int descriptor) : id(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : id(std::exchange(other.id, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(id, other.id);
    return *this;
  }
  ~Descriptor() {
    if (id >= 0) ::close(id);
  }
};

// Opens the folder in which a path ends, step by step and never through a link, so that nothing which is changed
// meanwhile leads out.
Result<Descriptor> open_parent(const fs::path& root, const fs::path& relative, bool make) {
  Descriptor at(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.id < 0) return file_trouble("opening", root.string());
  for (const fs::path& part : relative.parent_path()) {
    if (make && ::mkdirat(at.id, part.c_str(), 0777) != 0 && errno != EEXIST)
      return file_trouble("making", relative.string());
    Descriptor next(::openat(at.id, part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (next.id < 0 && (errno == ELOOP || errno == ENOTDIR)) return leads_out(relative.string());
    if (next.id < 0) return file_trouble("opening", relative.string());
    at = std::move(next);
  }
  return at;
}

Status write_all(int to, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t sent = ::write(to, content.data(), content.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return file_trouble("writing", path);
    content.remove_prefix(static_cast<std::size_t>(sent));
  }
  return ::fsync(to) == 0 ? Status() : file_trouble("flushing", path);
}

}  // namespace

Result<WorkFolder> WorkFolder::open(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path root = fs::canonical(folder, error);
  if (error) return permission("the work folder " + folder.string() + " cannot be used: " + error.message());
  return WorkFolder(root);
}

Result<fs::path> WorkFolder::inside(const std::string& path) const {
  if (path.find('\0') != std::string::npos) return leads_out(path);
  const fs::path given(path);
  if (given.is_absolute()) return leads_out(path);
  fs::path clean;
  for (const fs::path& part : given) {
    if (part == "." || part.empty()) continue;
    if (part == "..") return leads_out(path);
    clean /= part;
  }
  return clean;
}

Result<std::string> WorkFolder::read(const std::string& path, std::size_t most_bytes) const {
  WEFT_TRY(const fs::path relative, inside(path));
  if (relative.empty()) return invalid_argument("\"path\" names no file");
  WEFT_TRY(const Descriptor parent, open_parent(root_, relative, false));
  // Without waiting: a pipe that lies there is no file.
  const Descriptor file(
      ::openat(parent.id, relative.filename().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (file.id < 0 && errno == ELOOP) return leads_out(path);
  if (file.id < 0) return file_trouble("opening", path);
  struct stat about{};
  if (::fstat(file.id, &about) != 0 || !S_ISREG(about.st_mode)) return invalid_argument(path + " is no file");
  if (static_cast<std::uint64_t>(about.st_size) > most_bytes)
    return too_large(path + " has " + std::to_string(about.st_size) + " bytes, more than " +
                     std::to_string(most_bytes));
  std::string content(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t got = 0;
  while (got < content.size()) {
    const ssize_t some = ::read(file.id, content.data() + got, content.size() - got);
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) return file_trouble("reading", path);
    if (some == 0) break;
    got += static_cast<std::size_t>(some);
  }
  content.resize(got);
  return content;
}

Status WorkFolder::write(const std::string& path, std::string_view content) const {
  WEFT_TRY(const fs::path relative, inside(path));
  if (relative.empty()) return invalid_argument("\"path\" names no file");
  WEFT_TRY(const Descriptor parent, open_parent(root_, relative, true));
  const std::string name = relative.filename().string();
  struct stat about{};
  if (::fstatat(parent.id, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(about.st_mode))
    return S_ISLNK(about.st_mode) ? leads_out(path) : invalid_argument(path + " is no file");
  static std::atomic<unsigned> count = 0;
  const std::string beside = ".weft-" + std::to_string(::getpid()) + "-" + std::to_string(++count) + ".tmp";
  const Descriptor file(
      ::openat(parent.id, beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (file.id < 0) return file_trouble("writing", path);
  Status written = write_all(file.id, content, path);
  if (written.ok() && ::renameat(parent.id, beside.c_str(), parent.id, name.c_str()) != 0)
    written = file_trouble("writing", path);
  if (!written.ok()) ::unlinkat(parent.id, beside.c_str(), 0);
  return written;
}

Status WorkFolder::remove(const std::string& path) const {
  WEFT_TRY(const fs::path relative, inside(path));
  if (relative.empty()) return invalid_argument("\"path\" names no file");
  WEFT_TRY(const Descriptor parent, open_parent(root_, relative, false));
  if (::unlinkat(parent.id, relative.filename().c_str(), 0) != 0 && errno != ENOENT)
    return file_trouble("removing", path);
  return {};
}

Result<std::vector<WorkFolder::Entry>> WorkFolder::list(const std::string& path, bool deep, std::size_t most) const {
  WEFT_TRY(const fs::path relative, inside(path));
  WEFT_TRY(const Descriptor parent, open_parent(root_, relative / "x", false));
  std::vector<Entry> entries;
  std::error_code error;
  // Iterators of the standard library do not step into linked folders.
  fs::recursive_directory_iterator at(root_ / relative, fs::directory_options::skip_permission_denied, error);
  if (error) return not_found("there is no folder " + path);
  for (; !error && at != fs::recursive_directory_iterator() && entries.size() < most; at.increment(error)) {
    std::error_code ignored;
    const bool folder = !at->is_symlink(ignored) && at->is_directory(ignored);
    if (folder && !deep) at.disable_recursion_pending();
    const std::uintmax_t bytes = at->is_regular_file(ignored) ? at->file_size(ignored) : 0;
    entries.push_back({at->path().lexically_relative(root_).string(), folder, ignored ? 0 : bytes});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return entries;
}

// Files below the work folder.

namespace {

constexpr std::size_t kMostBytes = 8 << 20, kMostEntries = 2000;  // of a file, and of a folder

struct FileArguments {
  std::string path, content;
  bool deep = false;
};

constexpr std::size_t kMostOutput = 4 << 20;  // bytes
// Behind a program's own time-out, so that the tool answers before its caller gives it up.
constexpr std::chrono::milliseconds kMargin{200};

struct ShellArguments {
  std::string command;
  std::int64_t seconds = 0;
};

constexpr std::int64_t kLines = 100, kMostMatches = 50;
constexpr std::size_t kPartBytes = 6000, kLineBytes = 400;

struct ResultPart {
  std::string handle, find;
  std::int64_t from_line = 1, lines = kLines;
};

}  // namespace

WEFT_DESCRIBED(FileArguments);

template <>
const Record<FileArguments>& record<FileArguments>() {
  static const auto made = Record<FileArguments>("FileArguments", "", RecordUse::kAsked)
                               .field("path", &FileArguments::path, "below the work folder")
                               .field("content", &FileArguments::content, "the whole text")
                               .field("deep", &FileArguments::deep, "folders below it, too");
  return made;
}

namespace {

Result<FileArguments> arguments_of(const ToolRequest& request) {
  return parse_record<FileArguments>(request.arguments, "the arguments");
}

// What goes wrong with a file is told to the model; the tool itself works.
ToolOutcome told(const Error& error) { return {error.message + (error.hint.empty() ? "" : ". " + error.hint), true}; }

Result<ToolOutcome> list_files(const WorkFolder& folder, const ToolRequest& request) {
  WEFT_TRY(const FileArguments what, arguments_of(request));
  const auto entries = folder.list(what.path, what.deep, kMostEntries);
  if (!entries.ok()) return told(entries.error());
  std::string text;
  for (const auto& one : *entries)
    text += one.path + (one.folder ? "/" : "\t" + std::to_string(one.bytes) + " bytes") + "\n";
  if (entries->size() == kMostEntries) text += "[there are more]\n";
  return ToolOutcome{text.empty() ? "[the folder is empty]" : text};
}

}  // namespace

std::vector<std::shared_ptr<Tool>> file_tools(std::shared_ptr<const WorkFolder> folder) {
  return {
      make_tool({"file_read", "Reads a text file of the work folder.",
                 ToolParameters().text("path", "of the file, below the work folder")},
                ToolEffects::kNone,
                [folder](const ToolRequest& request) -> Result<ToolOutcome> {
                  WEFT_TRY(const FileArguments what, arguments_of(request));
                  auto text = folder->read(what.path, kMostBytes);
                  return text.ok() ? ToolOutcome{std::move(text).value()} : told(text.error());
                }),
      // The same file with the same content: to write it twice is to write it once.
      make_tool({"file_write", "Writes a text file of the work folder, in the place of what stood there.",
                 ToolParameters()
                     .text("path", "of the file, below the work folder; folders are made")
                     .text("content", "the whole text")},
                ToolEffects::kKeyed,
                [folder](const ToolRequest& request) -> Result<ToolOutcome> {
                  WEFT_TRY(const FileArguments what, arguments_of(request));
                  const Status written = folder->write(what.path, what.content);
                  if (!written.ok()) return told(written.error());
                  return ToolOutcome{"written: " + std::to_string(what.content.size()) + " bytes"};
                }),
      make_tool({"file_list", "Lists the files of the work folder.",
                 ToolParameters()
                     .text("path", "of a folder below it; empty: the work folder")
                     .optional()
                     .flag("deep", "folders below it, too")
                     .optional()},
                ToolEffects::kNone, [folder](const ToolRequest& request) { return list_files(*folder, request); }),
  };
}

// Programs as tools: the shell, and commands that a person gave to a run.

WEFT_DESCRIBED(ShellArguments);

template <>
const Record<ShellArguments>& record<ShellArguments>() {
  static const auto made = Record<ShellArguments>("ShellArguments", "", RecordUse::kAsked)
                               .field("command", &ShellArguments::command, "a command line", {.required = true})
                               .field("seconds", &ShellArguments::seconds, "it may take", {.least = 0});
  return made;
}

namespace {

std::chrono::milliseconds time_for(const ToolRequest& request, std::int64_t seconds, std::chrono::milliseconds most) {
  if (seconds > 0) most = std::min(most, std::chrono::milliseconds(seconds * 1000));
  const auto left = request.deadline.left(most + kMargin) - kMargin;
  return std::max(std::chrono::milliseconds(1), std::min(most, left));
}

Result<ToolOutcome> outcome_of(const ProcessCall& call) {
  auto end = run_process(call);
  // Too slow is something that the model can do something about.
  if (!end.ok() && end.error().code == ErrorCode::kTimeout) return ToolOutcome{end.error().message, true};
  if (!end.ok()) return end.error();
  ToolOutcome outcome{std::move(end->output), end->code != 0};
  if (end->dropped > 0) outcome.output += "\n[" + std::to_string(end->dropped) + " further bytes were dropped]";
  if (end->code != 0) outcome.output += "\n[exit code " + std::to_string(end->code) + "]";
  return outcome;
}

}  // namespace

std::shared_ptr<Tool> shell_tool(std::shared_ptr<const WorkFolder> folder, std::chrono::milliseconds most) {
  return make_tool({"shell_run", "Runs a command line with /bin/sh in the work folder and gives its output.",
                    ToolParameters()
                        .text("command", "the command line")
                        .integer("seconds", "it may take, fewer than usual")
                        .optional()},
                   ToolEffects::kSome, [folder, most](const ToolRequest& request) -> Result<ToolOutcome> {
                     WEFT_TRY(const auto what, parse_record<ShellArguments>(request.arguments, "the arguments"));
                     ProcessCall call;
                     call.command = {"/bin/sh", "-c", what.command};
                     call.folder = folder->path();
                     call.most_bytes = kMostOutput;
                     call.deadline = request.deadline.within(time_for(request, what.seconds, most));
                     return outcome_of(call);
                   });
}

Result<std::shared_ptr<Tool>> verify_tool(const AgentCommand& command, const std::filesystem::path& folder,
                                          std::chrono::milliseconds most) {
  constexpr int kNotExecutable = 126, kNotFound = 127;  // of shells
  if (command.command.empty()) return invalid_argument(std::string(kVerify) + " names no program");
  return make_tool({std::string(kVerify), command.description, {}}, ToolEffects::kNone,
                   [command, folder, most](const ToolRequest& request) -> Result<ToolOutcome> {
                     ProcessCall call;
                     call.command = command.command;
                     call.folder = folder;
                     call.environment = {{"WEFT_RUN", request.run}, {"WEFT_TOOL_KEY", request.key}};
                     call.input = request.arguments;
                     call.most_bytes = kMostOutput;
                     call.deadline = request.deadline.within(time_for(request, command.seconds, most));
                     WEFT_TRY(ProcessEnd end, run_process(call));
                     if (end.code == kNotExecutable || end.code == kNotFound)
                       return unavailable("the verifier cannot be run: " + end.output);
                     return ToolOutcome{std::move(end.output), end.code != 0};
                   });
}

Result<std::shared_ptr<Tool>> command_tool(const AgentCommand& command, const std::filesystem::path& folder,
                                           std::chrono::milliseconds most) {
  if (command.command.empty()) return invalid_argument("the tool " + command.name + " names no program");
  if (!command.parameters.empty()) {
    const auto schema = SchemaCheck::compile(command.parameters, "arguments");
    if (!schema.ok()) return invalid_argument("the tool " + command.name + ": " + schema.error().message);
  }
  return make_tool({command.name, command.description, command.parameters}, effects_of(command.effects),
                   [command, folder, most](const ToolRequest& request) {
                     ProcessCall call;
                     call.command = command.command;
                     call.folder = folder;
                     call.environment = {{"WEFT_RUN", request.run}, {"WEFT_CALL", request.call}};
                     if (!request.key.empty()) call.environment.emplace_back("WEFT_TOOL_KEY", request.key);
                     call.input = request.arguments;
                     call.most_bytes = kMostOutput;
                     call.deadline = request.deadline.within(time_for(request, command.seconds, most));
                     return outcome_of(call);
                   });
}

// Tools of the run itself: asking, telling how far it is, and reading what was cut.

WEFT_DESCRIBED(ResultPart);

template <>
const Record<ResultPart>& record<ResultPart>() {
  static const auto made = Record<ResultPart>("ResultPart", "", RecordUse::kAsked)
                               .field("handle", &ResultPart::handle, "", {.required = true, .loose = true})
                               .field("find", &ResultPart::find, "", {.loose = true})
                               .field("from_line", &ResultPart::from_line, "", {.least = 1})
                               .field("lines", &ResultPart::lines, "", {.least = 1});
  return made;
}

template <>
const Record<HumanQuestion>& record<HumanQuestion>() {
  static const auto made = Record<HumanQuestion>("HumanQuestion", "A question to a person.", RecordUse::kAsked)
                               .field("question", &HumanQuestion::question, "one question", {.required = true})
                               .field("why", &HumanQuestion::why, "it is asked")
                               .field("fallback", &HumanQuestion::fallback, "what is done without an answer")
                               .field("choices", &HumanQuestion::choices, "to choose from")
                               .field("kind", &HumanQuestion::kind, "what is wanted");
  return made;
}

namespace {

Result<ToolOutcome> read_part(ResultStore& results, const ToolRequest& request) {
  WEFT_TRY(const auto what, parse_record<ResultPart>(request.arguments, "the arguments"));
  const auto text = results.read(request.run, what.handle);
  if (!text.ok()) return ToolOutcome{text.error().message + ". " + text.error().hint, true};
  const auto lines = lines_of(*text);
  const auto count = static_cast<std::int64_t>(lines.size());
  std::string part;
  std::int64_t at = what.from_line - 1, taken = 0;
  const std::int64_t most = what.find.empty() ? what.lines : kMostMatches;
  for (; at < count && taken < most && part.size() < kPartBytes; ++at) {
    const std::string_view line = lines[static_cast<std::size_t>(at)];
    const auto found = what.find.empty() ? 0 : line.find(what.find);
    if (found == std::string_view::npos) continue;
    // Of a line that is a whole file: from where the match is.
    const std::size_t begin = found > kLineBytes / 2 ? found - kLineBytes / 2 : 0;
    const std::size_t room = what.find.empty() ? kPartBytes : kLineBytes;
    part += std::to_string(at + 1) + ": " + repair_utf8(cut_bytes(line.substr(begin), room)) + "\n";
    ++taken;
  }
  return ToolOutcome{part + "[" + std::to_string(count) + " lines in all" +
                     (at < count ? "; go on with from_line " + std::to_string(at + 1) : "") + "]"};
}

}  // namespace

std::shared_ptr<Tool> human_tool() {
  std::vector<std::string> kinds;
  for (const QuestionKind kind :
       {QuestionKind::kKnowledge, QuestionKind::kDecision, QuestionKind::kAction, QuestionKind::kJudgement})
    kinds.emplace_back(to_string(kind));
  return make_tool(
      {std::string(kHumanAsk), "Asks the user one question and waits for the answer. Only for what nobody else knows.",
       ToolParameters()
           .text("question", "one question, with all that is needed to answer it")
           .text("why", "what it is needed for")
           .optional()
           .texts("choices", "answers to choose from")
           .optional()
           .text("fallback", "what you do if nobody answers")
           .optional()
           .choice("kind", "what is wanted: something the user knows, decides, does or judges", kinds)
           .optional()},
      ToolEffects::kNone,
      [](const ToolRequest&) -> Result<ToolOutcome> { return internal("questions are asked by the loop"); });
}

std::shared_ptr<Tool> result_tool(ResultStore& results) {
  return make_tool({"result_read", "Reads lines of a tool's output that was cut, by its handle.",
                    ToolParameters()
                        .text("handle", "as the cut output names it")
                        .integer("from_line", "the first line; 1 if left out")
                        .optional()
                        .integer("lines", "how many; 100 if left out")
                        .optional()
                        .text("find", "only lines that hold this text")
                        .optional()},
                   ToolEffects::kNone, [&results](const ToolRequest& request) { return read_part(results, request); });
}

std::shared_ptr<Tool> progress_tool(std::function<Status(const ProgressTold&)> tell) {
  return make_tool({"task_progress", "Notes your plan: what is done, what you do now, what is left.",
                    ToolParameters()
                        .texts("done", "steps that are done")
                        .text("current", "the step you are at")
                        .texts("remaining", "steps that are left")},
                   ToolEffects::kKeyed, [tell = std::move(tell)](const ToolRequest& request) -> Result<ToolOutcome> {
                     WEFT_TRY(const auto progress, parse_record<ProgressTold>(request.arguments, "the arguments"));
                     WEFT_CHECK(tell(progress));
                     return ToolOutcome{"noted"};
                   });
}

}  // namespace weft
