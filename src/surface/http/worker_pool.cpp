#include "surface/http/worker_pool.h"

#include <algorithm>

#include "base/log.h"
#include "base/threads.h"

namespace weft::http {
namespace {

// One to work and one for what is urgent: both are there before the system runs out of threads.
constexpr std::size_t kKept = 2;

}  // namespace

WorkerPool::WorkerPool(std::size_t active, std::size_t most, std::chrono::milliseconds linger)
    : active_(std::max<std::size_t>(active, 1)),
      most_(std::max(active_, most)),
      kept_(std::min(kKept, most_)),
      linger_(linger) {
  const std::lock_guard lock(mutex_);
  while (threads_.size() < kept_ && add_thread()) continue;
}

WorkerPool::~WorkerPool() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
  // A thread moves itself to `finished_` when it leaves, so that nothing joins itself.
  while (!threads_.empty() || !finished_.empty()) {
    left_.wait(lock, [this] { return !finished_.empty() || threads_.empty(); });
    join_finished();
  }
}

void WorkerPool::submit(std::function<void()> task, const Whose& whose) {
  bool alone = false;
  {
    const std::lock_guard lock(mutex_);
    join_finished();
    tasks_.push(std::move(task), whose.caller, whose.urgent);
    add_thread_if_useful();
    wake_.notify_one();
    alone = threads_.empty();
  }
  if (alone) run_here();
}

void WorkerPool::while_waiting(const std::function<void()>& wait) {
  struct Place {  // gives the place back on the way out, whatever `wait` throws
    WorkerPool& pool;
    explicit Place(WorkerPool& p) : pool(p) {
      const std::lock_guard lock(pool.mutex_);
      --pool.working_;
      pool.add_thread_if_useful();
      pool.wake_.notify_one();
    }
    ~Place() {
      const std::lock_guard lock(pool.mutex_);
      ++pool.working_;
    }
  };
  const Place place(*this);
  wait();
}

std::size_t WorkerPool::threads() const {
  const std::lock_guard lock(mutex_);
  return threads_.size();
}

// Whether an idle thread may take a task that is not urgent. The last one may not while no other can be made.
bool WorkerPool::takes_any() const {
  const bool last = refused_ && idle_ == 1 && threads_.size() > 1 && !stopping_;
  return working_ < active_ && !last;
}

bool WorkerPool::has_work() const {
  if (tasks_.empty()) return false;
  return takes_any() || (tasks_.has_urgent() && working_ < active_ + spare());
}

void WorkerPool::add_thread_if_useful() {
  const std::size_t free = refused_ && idle_ > 0 ? idle_ - 1 : idle_;
  if (tasks_.size() <= free || working_ + free >= active_ + spare() || threads_.size() >= most_ + spare()) return;
  add_thread();
}

// Counts a thread only when it is there. False: the system gives none.
bool WorkerPool::add_thread() {
  Threads fresh;
  const Status made = guarded("a worker", [&] {
    fresh.emplace_back();
    return start_thread(fresh.front(), "a worker", [this, self = fresh.begin()] { run(self); });
  });
  if (made.ok()) {
    threads_.splice(threads_.end(), fresh);
    ++idle_;  // it counts from now on, not from its first wait
  }
  if (refused_ == made.ok()) {
    refused_ = !made.ok();
    if (refused_)
      log_error("http.workers", made.error().message + "; " + std::to_string(threads_.size()) + " threads go on (" +
                                    made.error().hint + ")");
    else
      log_info("http.workers", "the system gives threads again");
  }
  return made.ok();
}

void WorkerPool::run(Threads::iterator self) {
  std::unique_lock lock(mutex_);
  const auto is_wanted = [this] { return has_work() || (stopping_ && tasks_.empty()); };
  for (;;) {
    if (threads_.size() > kept_)
      wake_.wait_for(lock, linger_, is_wanted);
    else
      wake_.wait(lock, is_wanted);
    if (!has_work()) {
      if (tasks_.empty() && (stopping_ || threads_.size() > kept_)) break;
      continue;  // others hold all the places
    }
    // The last idle thread sees to another one before it works: it would be missing when something urgent comes.
    const bool last = takes_any() && idle_ == 1 && !refused_ && !stopping_ && threads_.size() < most_;
    if (last && !add_thread()) continue;
    auto task = takes_any() ? tasks_.pop() : tasks_.pop_urgent();
    --idle_;
    ++working_;
    lock.unlock();
    guarded_or_logged("http.worker", task);
    task = nullptr;
    lock.lock();
    --working_;
    ++idle_;
    wake_.notify_one();
  }
  --idle_;
  finished_.splice(finished_.end(), threads_, self);
  left_.notify_all();
}

// Without any thread: what was submitted is done by who submits it.
void WorkerPool::run_here() {
  std::unique_lock lock(mutex_);
  if (!threads_.empty() || tasks_.empty()) return;
  const auto task = tasks_.pop();
  ++working_;
  lock.unlock();
  guarded_or_logged("http.worker", task);
  lock.lock();
  --working_;
}

void WorkerPool::join_finished() {
  // Each has given up the lock that is held here for good: nothing is left for it to do but to return.
  for (auto& thread : finished_) thread.join();
  finished_.clear();
}

}  // namespace weft::http
