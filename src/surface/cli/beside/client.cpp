#include "surface/cli/beside/client.h"

#include "surface/cli/beside/socket.h"
#include "surface/cli/input.h"

namespace weft::cli {
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
