#pragma once

#include <mutex>
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

}  // namespace weft
