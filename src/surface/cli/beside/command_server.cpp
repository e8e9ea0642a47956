#include "surface/cli/beside/command_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>

#include "base/clock.h"
#include "base/log.h"
#include "base/threads.h"
#include "engine/engine_impl.h"
#include "surface/cli/beside/socket.h"
#include "surface/cli/command_line.h"
#include "surface/cli/console.h"

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

namespace {

constexpr timeval kPatienceForCommandLine{10, 0};
constexpr std::chrono::milliseconds kLook{20};

void refuse(int socket, const std::string& why) {
  (void)send_frame(socket, FrameKind::kError, "weft: " + why + "\n");
  (void)send_frame(socket, FrameKind::kExit, std::string(1, '\1'));
}

void limit_waiting(int socket, timeval time) {
  (void)::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

// The first frame, for which a peer has some seconds: one that says nothing must not keep a place.
Result<RunRequest> read_command_line(int socket, FrameReader& reader) {
  limit_waiting(socket, kPatienceForCommandLine);
  for (;;) {
    WEFT_TRY(const auto frame, reader.next());
    if (frame && frame->kind != FrameKind::kRun) return invalid_argument("a command begins with its command line");
    if (frame) {
      limit_waiting(socket, {});
      return decode_run(frame->payload);
    }
    if (!receive(socket, reader)) return unavailable("no command line came");
  }
}

// What the other side answers while its command runs; its end ends the command.
void read_answers(int socket, FrameReader& reader, ServerConsole& console) {
  for (;;) {
    auto frame = reader.next();
    if (!frame.ok()) {
      log_warning("command", frame.error().message);
      return console.leave();
    }
    if (!*frame) {
      if (!receive(socket, reader)) return console.leave();
    } else if (!console.answer(std::move(**frame))) {
      log_warning("command", "a command sent what nobody had asked for");
      return console.leave();
    }
  }
}

}  // namespace

/// One command that is at work.
struct CommandServer::Guest {
  explicit Guest(FileHandle handle) : socket(std::move(handle)) {}
  FileHandle socket;
  std::mutex mutex;
  ServerConsole* console = nullptr;  // while the command runs
  bool closed = false;
  std::atomic<bool> finished{false};
  std::thread thread;

  void close_input() {
    const std::lock_guard lock(mutex);
    closed = true;
    if (console != nullptr)
      console->close_input();
    else
      ::shutdown(socket.get(), SHUT_RD);  // no command line has come yet
  }
  void attach(ServerConsole* now) {
    const std::lock_guard lock(mutex);
    console = now;
    if (closed && console != nullptr) console->close_input();
  }
};

Result<std::unique_ptr<CommandServer>> CommandServer::open(const std::filesystem::path& workspace, Handler handler) {
  FileHandle wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake.open()) return unavailable(std::string("eventfd: ") + std::strerror(errno));
  WEFT_TRY(auto socket, CommandSocket::listen_in(workspace));
  std::unique_ptr<CommandServer> server(new CommandServer(std::move(socket), std::move(wake), std::move(handler)));
  WEFT_CHECK(start_thread(server->acceptor_, "taking commands", [own = server.get()] { own->accept_all(); }));
  return server;
}

CommandServer::CommandServer(CommandSocket socket, FileHandle wake, Handler handler)
    : socket_(std::move(socket)), wake_(std::move(wake)), handler_(std::move(handler)) {}

CommandServer::~CommandServer() { stop(std::chrono::milliseconds(0)); }

void CommandServer::accept_all() {
  pollfd both[] = {{socket_->get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  for (;;) {
    if (::poll(both, 2, -1) < 0 && errno != EINTR) return;
    if (both[1].revents != 0) return;
    FileHandle socket(::accept4(socket_->get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.open()) {
      guarded_or_logged("command", [&] { take(std::move(socket)); });
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));  // asking again at once would only spin
    }
  }
}

void CommandServer::take(FileHandle socket) {
  remove_finished();
  if (!same_user(socket.get())) return refuse(socket.get(), "this workspace is another user's");
  const std::lock_guard lock(mutex_);
  if (guests_.size() >= kMost)
    return refuse(socket.get(), "the server does the work of " + std::to_string(kMost) +
                                    " commands already\n      try again when one of them has ended");
  guests_.push_back(std::make_unique<Guest>(std::move(socket)));
  Guest& guest = *guests_.back();
  const Status begun = start_thread(guest.thread, "the server", [this, &guest] {
    const AtEnd over([&guest] { guest.finished = true; });
    guarded_or_logged("command", [&] { serve(guest); });
  });
  if (begun.ok()) return;
  refuse(guest.socket.get(), begun.error().message);
  guests_.pop_back();
}

void CommandServer::serve(Guest& guest) {
  const int socket = guest.socket.get();
  FrameReader reader;
  if (const auto run = read_command_line(socket, reader); !run.ok()) {
    refuse(socket, run.error().message);
  } else {
    guarded_or_logged("command", [&] { work_off(guest, *run, reader); });
  }
  ::shutdown(socket, SHUT_RDWR);
}

void CommandServer::work_off(Guest& guest, const RunRequest& run, FrameReader& reader) {
  const int socket = guest.socket.get();
  ServerConsole console(socket, run);
  std::jthread answers;
  const Status begun = start_thread(
      answers, "the server", [&] { guarded_or_logged("command", [&] { read_answers(socket, reader, console); }); });
  if (!begun.ok()) return refuse(socket, begun.error().message);
  const AtEnd over([&] {
    ::shutdown(socket, SHUT_RD);
    answers.join();
    guest.attach(nullptr);
  });
  guest.attach(&console);
  console.exit(handler_(run, console));
}

void CommandServer::remove_finished() {
  std::list<std::unique_ptr<Guest>> gone;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = guests_.begin(); at != guests_.end();) {
      const auto guest = at++;
      if ((*guest)->finished) gone.splice(gone.end(), guests_, guest);
    }
  }
  for (const auto& guest : gone) guest->thread.join();
}

void CommandServer::stop(std::chrono::milliseconds grace) {
  if (!acceptor_.joinable()) return;
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
  acceptor_.join();
  socket_.reset();
  for (const auto& guest : guests_) guest->close_input();
  const Deadline until = Deadline::after(grace);
  const auto at_work = [this] {
    return std::any_of(guests_.begin(), guests_.end(), [](const auto& guest) { return !guest->finished; });
  };
  while (at_work() && !until.passed()) std::this_thread::sleep_for(kLook);
  // The end of the connection wakes whoever waits in it, and cancels the command.
  for (const auto& guest : guests_) ::shutdown(guest->socket.get(), SHUT_RDWR);
  for (const auto& guest : guests_) guest->thread.join();
  guests_.clear();
}

namespace {

// No command may end the server, whatever it runs into.
int run_safely(EngineImpl& engine, const RunRequest& run, Console& console) {
  try {
    return run_for(engine, run, console);
  } catch (const std::exception& error) {
    log_error("command", error.what());
    console.complain("weft: a defect in the server: %s\n", error.what());
    return kFailed;
  }
}

}  // namespace

std::unique_ptr<CommandServer> serve_commands(EngineImpl& engine) {
  auto commands = CommandServer::open(engine.config().workspace, [&engine](const RunRequest& run, Console& console) {
    return run_safely(engine, run, console);
  });
  if (commands.ok()) return std::move(commands).value();
  log_warning("command", commands.error().message + ": commands cannot be run while this server holds the workspace");
  return nullptr;
}

}  // namespace weft::cli
