#pragma once

#include <filesystem>
#include <string_view>

#include "ports/files/file_system.h"
#include "surface/cli/beside/frames.h"
#include "surface/cli/console.h"

namespace weft::cli {

/// The socket `weft.sock` of a workspace that this process holds: listens, for this user alone (mode 0600). Whatever
/// stands there already is what a killed server left, and is replaced. Paths may be longer than a socket's address.
class CommandSocket {
 public:
  static Result<CommandSocket> listen_in(const std::filesystem::path& workspace);
  CommandSocket(CommandSocket&&) = default;
  CommandSocket& operator=(CommandSocket&&) = delete;
  ~CommandSocket();  ///< takes the socket away
  int get() const { return socket_.get(); }

 private:
  CommandSocket(FileHandle socket, std::filesystem::path path) : socket_(std::move(socket)), path_(std::move(path)) {}
  FileHandle socket_;
  std::filesystem::path path_;
};

/// Connects to the server that holds the workspace. kNotFound where none listens; kPermission, naming why, where the
/// socket or the process behind it is not this user's own.
Result<FileHandle> connect_in(const std::filesystem::path& workspace);

/// Whether the process at the other end runs as the same user.
bool same_user(int socket);

/// Sends a frame whole. False when the other side is gone.
bool send_frame(int socket, FrameKind kind, std::string_view payload);

/// Waits for bytes and feeds them to the reader. False when the other side is gone.
bool receive(int socket, FrameReader& reader);

/// Hands a command line to the server at the other end of the socket, and reads, writes and edits for it until it is
/// done. Gives its exit code; an error where the server ended before that.
Result<int> run_in_server(FileHandle socket, const RunRequest& run, Console& own);

}  // namespace weft::cli
