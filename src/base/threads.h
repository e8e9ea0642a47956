#pragma once

#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "weft/result.h"

namespace weft {

/// Data together with the lock that guards it: it can only be reached through `lock()`.
template <class T>
class Sync {
 public:
  class Guard {
   public:
    Guard(std::mutex& mutex, T& data) : lock_(mutex), data_(&data) {}
    T* operator->() { return data_; }
    T& operator*() { return *data_; }
    std::unique_lock<std::mutex>& native() { return lock_; }  ///< for waiting on a condition variable

   private:
    std::unique_lock<std::mutex> lock_;
    T* data_;
  };

  template <class... Args>
  explicit Sync(Args&&... args) : data_(std::forward<Args>(args)...) {}
  Guard lock() { return Guard(mutex_, data_); }

 private:
  std::mutex mutex_;
  T data_;
};

/// A lock for each key, such as a file or a scope. A lock exists as long as somebody holds a pointer to it. Safe from
/// many threads.
class KeyLocks {
 public:
  std::shared_ptr<std::mutex> of(const std::string& key) {
    auto locks = locks_.lock();
    if (locks->size() > kBeforeSweep) std::erase_if(*locks, [](const auto& lock) { return lock.second.expired(); });
    auto& kept = (*locks)[key];
    auto mutex = kept.lock();
    if (!mutex) kept = mutex = std::make_shared<std::mutex>();
    return mutex;
  }

 private:
  static constexpr std::size_t kBeforeSweep = 1024;
  Sync<std::unordered_map<std::string, std::weak_ptr<std::mutex>>> locks_;
};

/// Does `work` and gives back what it does, a Status or a Result. What it throws becomes an internal error that says
/// `what` failed: an exception of a library on a thread of its own would end the process, and the next start again
/// where the work is kept.
template <class Work>
std::invoke_result_t<Work> guarded(std::string_view what, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::exception& failure) {
    return internal(std::string(what) + " failed: " + failure.what());
  }
}

/// As `guarded` for work that has nothing to say: what it throws is logged under `event`. False: it threw.
template <class Work>
bool guarded_or_logged(std::string_view event, Work&& work) {
  try {
    std::forward<Work>(work)();
    return true;
  } catch (const std::exception& failure) {
    log_error(event, std::string("a defect: ") + failure.what());
    return false;
  }
}

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

/// Runs `work` at the end of its life, also where something was thrown. `work` gives back a place, a flag or a count
/// that was taken by hand; it must not throw.
template <class Work>
class [[nodiscard]] AtEnd {
 public:
  explicit AtEnd(Work work) : work_(std::move(work)) {}
  ~AtEnd() { work_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Work work_;
};

/// Begins `work` on a thread and puts the thread into `into`. kUnavailable where the system gives no thread: `into` is
/// as it was, and the caller goes on with fewer threads or refuses what needed one. `what` names the thread.
template <class Thread, class Work>
Status start_thread(Thread& into, std::string_view what, Work&& work) {
  try {
    into = Thread(std::forward<Work>(work));
    return {};
  } catch (const std::exception& failure) {
    return unavailable(std::string(what) + ": the system gives no further thread: " + failure.what(),
                       "allow more threads or memory (ulimit -u, ulimit -v, the limit of pids of the container)");
  }
}

/// Lowers the scheduling priority of the calling thread for the rest of its life: it still gets a share of its core
/// while others want it, a small one. Linux alone does that by thread; elsewhere nothing changes.
void give_way();

/// Threads at work in a library that cannot be interrupted, such as one that reads the vocabulary of a model. A program
/// that ends by `end_process` need not wait for them: nothing that they use is destroyed while they work. A program
/// that ends otherwise must wait, which is the default.
struct LeftThreads {
  static inline std::atomic<bool> allowed = false;  ///< set by `main`
  static inline std::atomic<int> count = 0;  ///< threads that nobody waits for
};

/// The last thing that `main` does. Gives `code` back, or ends the process at once where a thread was left.
inline int end_process(int code) {
  if (LeftThreads::count == 0) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

/// Cores that nobody computes on at this moment, the calling thread's own counted as free: from 0 on a machine with
/// more to do than cores to `hardware_concurrency` on one that rests. Where the system does not say: all of them. A few
/// microseconds; safe from any thread.
std::int64_t idle_cores();

}  // namespace weft
