#pragma once

#include <signal.h>

#include <cerrno>

namespace weft {

/// While it lives, writing to a pipe or socket that nobody reads is the error EPIPE in this thread, not the end of the
/// process. Only this thread is touched: what the host program does with SIGPIPE stays its own matter.
class BrokenPipeIsAnError {
 public:
  BrokenPipeIsAnError() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~BrokenPipeIsAnError() {
    const int error = errno;
    // What was raised meanwhile is taken, else it would come as soon as the mask is as before.
    const timespec at_once{};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  BrokenPipeIsAnError(const BrokenPipeIsAnError&) = delete;
  BrokenPipeIsAnError& operator=(const BrokenPipeIsAnError&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

}  // namespace weft
