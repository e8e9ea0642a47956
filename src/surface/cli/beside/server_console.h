#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "surface/cli/beside/frames.h"
#include "surface/cli/console.h"

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

}  // namespace weft::cli
