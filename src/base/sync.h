#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

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

}  // namespace weft
