#include "surface/cli/beside/server_console.h"

#include "surface/cli/beside/socket.h"

namespace weft::cli {

void ServerConsole::write(std::string_view text) {
  const std::lock_guard lock(send_mutex_);
  unsent_ += text;
  if (unsent_.size() >= kPiece) flush_unsent();
}

void ServerConsole::write_error(std::string_view text) {
  const std::lock_guard lock(send_mutex_);
  flush_unsent();
  send(FrameKind::kError, text);
}

void ServerConsole::flush() {
  const std::lock_guard lock(send_mutex_);
  flush_unsent();
}

void ServerConsole::flush_unsent() {
  const std::string text = std::exchange(unsent_, {});
  send(FrameKind::kOut, text);
}

void ServerConsole::send(FrameKind kind, std::string_view payload) {
  for (; !payload.empty() && !stop_.stop_requested(); payload.remove_prefix(std::min(kPiece, payload.size())))
    if (!send_frame(socket_, kind, payload.substr(0, kPiece))) leave();
}

void ServerConsole::exit(int code) {
  flush();
  (void)send_frame(socket_, FrameKind::kExit, std::string(1, static_cast<char>(code)));
}

std::filesystem::path ServerConsole::path(const std::string& given) const {
  return std::filesystem::path(run_.folder) / given;
}

Result<std::string> ServerConsole::more(const std::string& prompt) {
  return ask(FrameKind::kWants, prompt, FrameKind::kInput);
}

Status ServerConsole::edit(const std::string& file) {
  flush();
  WEFT_TRY(const std::string problem, ask(FrameKind::kEdit, file, FrameKind::kEdited));
  return problem.empty() ? Status() : unavailable(problem, "set EDITOR");
}

Result<std::string> ServerConsole::ask(FrameKind question, std::string_view payload, FrameKind wanted) {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = wanted;
    answer_.reset();
  }
  {
    const std::lock_guard lock(send_mutex_);
    if (!send_frame(socket_, question, payload.substr(0, kPiece))) leave();
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return answer_ || closed_ || stop_.stop_requested(); });
  wanted_.reset();
  if (answer_) return std::move(*answer_);
  if (stop_.stop_requested()) return weft::cancelled("nobody waits for this command any more");
  return unavailable("the server that did this command's work is ending", "give the command again when it is back");
}

bool ServerConsole::answer(Frame frame) {
  const std::lock_guard lock(mutex_);
  if (!wanted_ || frame.kind != *wanted_ || answer_) return false;
  answer_ = std::move(frame.payload);
  changed_.notify_all();
  return true;
}

void ServerConsole::leave() {
  stop_.request_stop();
  {
    const std::lock_guard lock(mutex_);
  }  // whoever looked before waits by now
  changed_.notify_all();
}

void ServerConsole::close_input() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

}  // namespace weft::cli
