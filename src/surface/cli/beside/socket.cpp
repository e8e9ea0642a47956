#include "surface/cli/beside/socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "surface/cli/console.h"

namespace weft::cli {
namespace {

constexpr const char* kName = "weft.sock";
constexpr int kWaiting = 64;

/// The address of a socket in a folder. Where the path is longer than an address may be it goes over the folder's
/// descriptor, which lives as long as this.
class Address {
 public:
  static Result<Address> of(const std::filesystem::path& folder, const std::string& name) {
    Address made;
    std::string path = (folder / name).string();
    if (path.size() >= sizeof made.address_.sun_path) {
      made.folder_ = FileHandle(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (!made.folder_.open()) return file_error("open", folder);
      path = "/proc/self/fd/" + std::to_string(made.folder_.get()) + "/" + name;
    }
    made.address_.sun_family = AF_UNIX;
    std::memcpy(made.address_.sun_path, path.c_str(), path.size() + 1);
    return made;
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  static socklen_t size() { return sizeof(sockaddr_un); }

 private:
  FileHandle folder_;
  sockaddr_un address_{};
};

FileHandle new_socket() { return FileHandle(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

// Another user's socket, or one that others may use, could hand this user's words to somebody else.
Status check_socket_file(const std::filesystem::path& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) {
    return errno == ENOENT || errno == ENOTDIR ? not_found("no server") : file_error("look at", path);
  }
  const char* advice = "end the server, remove the file and start the server again as the user who runs the command";
  if (!S_ISSOCK(found.st_mode)) return permission(path.string() + " is no socket", advice);
  if (found.st_uid != ::geteuid())
    return permission(path.string() + " belongs to user " + std::to_string(found.st_uid) + ", the command runs as " +
                          std::to_string(::geteuid()),
                      "run the command as that user");
  if ((found.st_mode & 077) != 0) return permission(path.string() + " can be used by other users", advice);
  return {};
}

}  // namespace

// It is made under another name and moved into place when it listens, so that nobody meets it half made.
Result<CommandSocket> CommandSocket::listen_in(const std::filesystem::path& workspace) {
  const std::string name = std::string(".") + kName + "." + std::to_string(::getpid());
  const auto made = workspace / name, path = workspace / kName;
  WEFT_TRY(const auto address, Address::of(workspace, name));
  FileHandle socket = new_socket();
  if (!socket.open()) return file_error("make", path);
  (void)::unlink(made.c_str());
  (void)::fchmod(socket.get(), S_IRUSR | S_IWUSR);  // the file takes the socket's mode: it is never wider
  if (::bind(socket.get(), address.get(), Address::size()) != 0) return file_error("make", path);
  const bool ready = ::chmod(made.c_str(), S_IRUSR | S_IWUSR) == 0 && ::listen(socket.get(), kWaiting) == 0 &&
                     ::rename(made.c_str(), path.c_str()) == 0;
  if (!ready) {
    const Error error = file_error("make", path);
    (void)::unlink(made.c_str());
    return error;
  }
  return CommandSocket(std::move(socket), path);
}

CommandSocket::~CommandSocket() {
  if (socket_.open()) (void)::unlink(path_.c_str());
}

Result<FileHandle> connect_in(const std::filesystem::path& workspace) {
  WEFT_CHECK(check_socket_file(workspace / kName));
  WEFT_TRY(const auto address, Address::of(workspace, kName));
  FileHandle socket = new_socket();
  if (!socket.open()) return file_error("open", workspace / kName);
  if (::connect(socket.get(), address.get(), Address::size()) != 0) {
    if (errno == ECONNREFUSED || errno == ENOENT) return not_found("no server");
    return file_error("open", workspace / kName);
  }
  if (!same_user(socket.get()))
    return permission("another user's process listens at " + (workspace / kName).string(),
                      "run the command as that user");
  return socket;
}

bool same_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

bool send_frame(int socket, FrameKind kind, std::string_view payload) {
  const std::string bytes = encode(kind, payload);
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t count = ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool receive(int socket, FrameReader& reader) {
  std::string bytes(kPiece, '\0');
  ssize_t count = 0;
  do count = ::recv(socket, bytes.data(), bytes.size(), 0);
  while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  reader.feed(std::string_view(bytes).substr(0, static_cast<std::size_t>(count)));
  return true;
}

namespace {

class Client {
 public:
  Client(int socket, Console& own) : socket_(socket), own_(own) {}

  Result<int> run() {
    for (;;) {
      WEFT_TRY(const auto frame, reader_.next());
      if (!frame) {
        WEFT_TRY(const bool sent, send_input());
        if (!sent && !receive(socket_, reader_)) return unavailable("the server ended before it had done this command");
        continue;
      }
      if (frame->kind == FrameKind::kExit) return exit_code(frame->payload);
      WEFT_CHECK(take(*frame));
    }
  }

 private:
  static Result<int> exit_code(const std::string& payload) {
    if (payload.size() != 1) return invalid_argument("the server sent no exit code");
    return static_cast<int>(static_cast<unsigned char>(payload.front()));
  }

  Status take(const Frame& frame) {
    switch (frame.kind) {
      case FrameKind::kOut:
        own_.write(frame.payload);
        own_.flush();
        return {};
      case FrameKind::kError: own_.write_error(frame.payload); return {};
      case FrameKind::kWants: prompt_ = frame.payload; return {};
      case FrameKind::kEdit: {
        const Status edited = own_.edit(frame.payload);
        (void)send_frame(socket_, FrameKind::kEdited, edited.ok() ? "" : edited.error().message);
        return {};
      }
      default: return invalid_argument("the server sent what only a command sends");
    }
  }

  // While a person or a program is waited for, the server may have something to say: then it is heard first.
  Result<bool> send_input() {
    if (!prompt_) return false;
    const auto text = input_.more(*prompt_, socket_);
    if (!text.ok() && text.error().code == ErrorCode::kUnavailable) return false;
    if (!text.ok()) return text.error();
    (void)send_frame(socket_, FrameKind::kInput, *text);
    prompt_.reset();
    return true;
  }

  const int socket_;
  Console& own_;
  Input input_;
  FrameReader reader_;
  std::optional<std::string> prompt_;  // of input that the server waits for
};

}  // namespace

Result<int> run_in_server(FileHandle socket, const RunRequest& run, Console& own) {
  const std::string line = encode_run(run);
  if (line.size() > kMostPayload)
    return too_large("this command line is longer than the server takes", "give files or standard input instead");
  (void)send_frame(socket.get(), FrameKind::kRun, line);  // where it is not taken, the reason waits to be read
  return Client(socket.get(), own).run();
}

}  // namespace weft::cli
