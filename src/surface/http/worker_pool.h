#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

namespace weft::http {

/// Tasks of many callers, who take turns: whoever brings hundreds waits for their own, others do not. What is urgent
/// takes turns with them as one caller more, and can be taken for itself. For one thread at a time.
class FairQueue {
 public:
  using Task = std::function<void()>;

  void push(Task task, const std::string& caller, bool urgent) {
    const std::string& whose = urgent ? kUrgent : caller;
    auto& own = of_[whose];
    const bool first = own.empty();
    try {
      own.push_back(std::move(task));
      if (first) turns_.push_back(whose);
    } catch (...) {  // whoever is in the list has a task and a turn
      if (first) of_.erase(whose);
      throw;
    }
    ++size_;
  }

  /// The next one; there must be one.
  Task pop() {
    const std::string caller = turns_.front();
    turns_.pop_front();
    return take_first(caller);
  }

  /// The next that is urgent; there must be one.
  Task pop_urgent() {
    turns_.erase(std::find(turns_.begin(), turns_.end(), kUrgent));
    return take_first(kUrgent);
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  bool has_urgent() const { return of_.contains(kUrgent); }

 private:
  // The caller has been taken out of the turns, and comes last if there is more.
  Task take_first(const std::string& caller) {
    const auto own = of_.find(caller);
    Task task = std::move(own->second.front());
    own->second.pop_front();
    if (own->second.empty())
      of_.erase(own);
    else
      turns_.push_back(caller);
    --size_;
    return task;
  }

  inline static const std::string kUrgent = "\n";  // no caller is called so

  std::unordered_map<std::string, std::deque<Task>> of_;
  std::deque<std::string> turns_;  // callers who have tasks, the next first
  std::size_t size_ = 0;
};

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
