#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "surface/cli/beside/server_console.h"
#include "surface/cli/beside/socket.h"

namespace weft::cli {

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

}  // namespace weft::cli
