#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "surface/http/fair_queue.h"

namespace weft::http {

/// Threads that run handlers. At most `active` of them work at the same time; a handler that waits for somebody else
/// (`while_waiting`) does not count, so that two hundred calls that only wait for a model cost two hundred sleeping
/// threads and do not keep a health check from being answered. Never more than `most` threads in all: further tasks
/// queue, and their callers take turns. Threads that nobody needs leave after a while, except for the first two. Where
/// the system gives no further thread, those that are there do the work, and one of them is left to urgent tasks. All
/// functions may be called from any thread.
class WorkerPool {
 public:
  WorkerPool(std::size_t active, std::size_t most, std::chrono::milliseconds linger = std::chrono::seconds(10));
  ~WorkerPool();  ///< finishes all tasks
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Whose a task is.
  struct Whose {
    std::string caller = {};
    bool urgent = false;  ///< takes turns with all callers, and has a place of its own besides
  };
  /// Runs the task soon; what it throws is logged. A pool that could not begin one thread runs it on the calling
  /// thread.
  void submit(std::function<void()> task, const Whose& whose);
  void submit(std::function<void()> task) { submit(std::move(task), {}); }

  /// Runs `wait` on the calling thread, a worker's, giving up its place meanwhile.
  void while_waiting(const std::function<void()>& wait);

  /// Threads alive now, for tests and metrics.
  std::size_t threads() const;

 private:
  using Threads = std::list<std::thread>;

  std::size_t spare() const { return tasks_.has_urgent() ? 1 : 0; }
  bool takes_any() const;
  bool has_work() const;
  void add_thread_if_useful();
  bool add_thread();
  void run(Threads::iterator self);
  void run_here();
  void join_finished();

  const std::size_t active_, most_, kept_;
  const std::chrono::milliseconds linger_;
  mutable std::mutex mutex_;
  std::condition_variable wake_, left_;
  FairQueue tasks_;
  Threads threads_, finished_;
  std::size_t idle_ = 0, working_ = 0;
  bool refused_ = false;  ///< the system gave no thread the last time that one was asked for
  bool stopping_ = false;
};

}  // namespace weft::http
