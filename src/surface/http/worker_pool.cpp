#include "surface/http/worker_pool.h"

#include <algorithm>

namespace weft::http {

WorkerPool::WorkerPool(std::size_t active, std::size_t most, std::chrono::milliseconds linger)
    : active_(std::max<std::size_t>(active, 1)), most_(std::max(active_, most)), linger_(linger) {}

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
  const std::lock_guard lock(mutex_);
  join_finished();
  tasks_.push(std::move(task), whose.caller, whose.urgent);
  add_thread_if_useful();
  wake_.notify_one();
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

void WorkerPool::add_thread_if_useful() {
  if (tasks_.size() <= idle_ || working_ + idle_ >= active_ + spare() || threads_.size() >= most_ + spare()) return;
  std::thread thread([this] { run(); });
  const auto id = thread.get_id();
  threads_.emplace(id, std::move(thread));
  ++idle_;  // it counts from now on, not from its first wait
}

void WorkerPool::run() {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return !tasks_.empty() && working_ < active_ + spare(); };
  for (;;) {
    wake_.wait_for(lock, linger_, [&] { return has_work() || (stopping_ && tasks_.empty()); });
    if (!has_work()) {
      if (tasks_.empty()) break;
      continue;  // others hold all the places
    }
    auto task = working_ < active_ ? tasks_.pop() : tasks_.pop_urgent();
    --idle_;
    ++working_;
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    --working_;
    ++idle_;
    wake_.notify_one();
  }
  --idle_;
  const auto self = threads_.find(std::this_thread::get_id());
  finished_.push_back(std::move(self->second));
  threads_.erase(self);
  left_.notify_all();
}

void WorkerPool::join_finished() {
  // Each has given up the lock that is held here for good: nothing is left for it to do but to return.
  for (auto& thread : finished_) thread.join();
  finished_.clear();
}

}  // namespace weft::http
