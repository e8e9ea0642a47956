#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace weft {

/// Lets many through at once, until somebody closes it: then newcomers wait, and the closer waits until those who are
/// inside have left. Unlike a shared mutex it cannot keep the closer out for as long as others come and go. Who is
/// inside must not enter again. Safe from many threads; several closers take turns.
class ModelGate {
 public:
  /// Inside as long as it lives.
  class [[nodiscard]] Pass {
   public:
    explicit Pass(ModelGate& gate) : gate_(&gate) {}
    Pass(Pass&& other) noexcept : gate_(other.gate_) { other.gate_ = nullptr; }
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->leave();
    }

   private:
    ModelGate* gate_;
  };

  /// Closed, with nobody inside, as long as it lives.
  class [[nodiscard]] Closed {
   public:
    explicit Closed(ModelGate& gate) : gate_(&gate) {}
    Closed(Closed&& other) noexcept : gate_(other.gate_) { other.gate_ = nullptr; }
    Closed& operator=(Closed&&) = delete;
    ~Closed() {
      if (gate_ != nullptr) gate_->open();
    }

   private:
    ModelGate* gate_;
  };

  Pass enter() {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [this] { return closers_ == 0; });
    ++inside_;
    return Pass(*this);
  }

  Closed close() {
    std::unique_lock lock(mutex_);
    ++closers_;
    moved_.wait(lock, [this] { return inside_ == 0 && !held_; });
    held_ = true;
    return Closed(*this);
  }

  /// Waits until those have left who are inside now.
  void wait_for_those_inside() { const Closed closed = close(); }

 private:
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) moved_.notify_all();
  }
  void open() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    --closers_;
    moved_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable moved_;
  std::size_t inside_ = 0, closers_ = 0;
  bool held_ = false;
};

}  // namespace weft
