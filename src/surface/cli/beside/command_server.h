#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "surface/cli/beside/frames.h"
#include "surface/cli/beside/socket.h"
#include "surface/cli/console.h"

namespace weft {
class EngineImpl;
}  // namespace weft

namespace weft::cli {

/// The streams of a command in another process, at the server's side of the socket. One thread runs the command on it,
/// and others may write meanwhile; `answer`, `leave` and `close_input` are called by others.
class ServerConsole final : public Console {
 public:
  /// The socket is the caller's and outlives the console.
  ServerConsole(int socket, const RunRequest& run) : socket_(socket), run_(run) {}

  void write(std::string_view text) override;
  void write_error(std::string_view text) override;
  void flush() override;
  bool interactive() const override { return run_.interactive; }
  bool colours() const override { return run_.colours; }
  std::filesystem::path path(const std::string& given) const override;
  Status edit(const std::string& file) override;
  std::stop_token cancelled() const override { return stop_.get_token(); }

  /// Ends the command at the other side.
  void exit(int code);

  /// Takes a frame of the other side. False for one that nobody asked for.
  bool answer(Frame frame);
  /// The other side is gone: what is done for it ends as soon as it can.
  void leave();
  /// The server ends: whoever waits for input, now or later, is told so.
  void close_input();

 protected:
  Result<std::string> more(const std::string& prompt) override;

 private:
  Result<std::string> ask(FrameKind question, std::string_view payload, FrameKind wanted);
  void send(FrameKind kind, std::string_view payload);
  void flush_unsent();

  const int socket_;
  const RunRequest& run_;
  std::mutex send_mutex_;  ///< of the socket's way out
  std::string unsent_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<FrameKind> wanted_;
  std::optional<std::string> answer_;
  bool closed_ = false;
};

/// Does the work of commands that other processes were started for, while a server holds their workspace. Each has a
/// thread; one that breaks the rules of frames.h, says nothing or goes away costs no other anything.
class CommandServer {
 public:
  /// Runs a command line and gives its exit code; called by many threads at once, must not throw.
  using Handler = std::function<int(const RunRequest& run, Console& console)>;

  static constexpr std::size_t kMost = 32;  ///< commands at a time; further ones are told to wait

  /// Listens in the workspace, which this process must hold.
  static Result<std::unique_ptr<CommandServer>> open(const std::filesystem::path& workspace, Handler handler);
  ~CommandServer();  ///< stops at once
  CommandServer(const CommandServer&) = delete;
  CommandServer& operator=(const CommandServer&) = delete;

  /// Takes no more commands. Those that wait for input end now, the others have `grace` to finish, then they are left.
  void stop(std::chrono::milliseconds grace);

 private:
  struct Guest;

  CommandServer(CommandSocket socket, FileHandle wake, Handler handler);
  void accept_all();
  void take(FileHandle socket);
  void serve(Guest& guest);
  void work_off(Guest& guest, const RunRequest& run, FrameReader& reader);
  void remove_finished();

  std::optional<CommandSocket> socket_;
  FileHandle wake_;  // readable as soon as the server is to stop
  const Handler handler_;
  std::mutex mutex_;
  std::list<std::unique_ptr<Guest>> guests_;
  std::thread acceptor_;
};

/// Lets other processes run their commands in this one, which holds the workspace. Null, with a warning in the log,
/// where that cannot be: then commands are refused while this process runs.
std::unique_ptr<CommandServer> serve_commands(EngineImpl& engine);

}  // namespace weft::cli
