#pragma once

#include <utility>

namespace weft {

/// Something that holds on one thread as long as this lives, and stands before what was said on that thread before.
/// `Of` tells its users apart. For one thread, as a local variable.
template <class Of, class Value>
class ThreadScoped {
 public:
  explicit ThreadScoped(Value value) : value_(std::move(value)), outer_(std::exchange(innermost(), this)) {}
  ~ThreadScoped() { innermost() = outer_; }
  ThreadScoped(const ThreadScoped&) = delete;
  ThreadScoped& operator=(const ThreadScoped&) = delete;

  /// What was said last on this thread; an empty value where nothing was.
  static Value current() { return innermost() == nullptr ? Value() : innermost()->value_; }

 private:
  static ThreadScoped*& innermost() {
    thread_local ThreadScoped* own = nullptr;
    return own;
  }

  Value value_;
  ThreadScoped* outer_;
};

}  // namespace weft
