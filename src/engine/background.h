#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/call_context.h"
#include "base/threads.h"

namespace weft {

/// Wakes one thread of the background, or several that do the same work. It exists before the threads do. Safe from any
/// thread.
class Waker {
 public:
  void wake() {
    {
      std::lock_guard lock(mutex_);
      ++wakings_;
    }
    moved_.notify_all();
  }

  /// Sleeps until it is woken, the time is over (none: without end) or the thread is to stop. `seen`: the thread's own
  /// count of wakings; what came since the last sleep ends this one at once.
  void sleep(const std::stop_token& stop, std::optional<std::chrono::milliseconds> time, std::uint64_t& seen) {
    std::unique_lock lock(mutex_);
    const auto woken = [&] { return wakings_ != seen; };
    if (time)
      moved_.wait_for(lock, stop, *time, woken);
    else
      moved_.wait(lock, stop, woken);
    seen = wakings_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any moved_;
  std::uint64_t wakings_ = 0;
};

/// A thread that works when it is woken or when its time has come, and sleeps without a tick otherwise. It is made
/// without beginning.
class Background {
 public:
  /// Whether calls wait for the work. If none does, the thread runs at a lower priority.
  enum class Waits { kNobody, kCall };

  /// `work` does what there is to do and gives the time until which to sleep if nobody wakes the thread; none: until
  /// woken. What it throws is logged, and it is called again after kAfterDefect.
  using Work = std::function<std::optional<std::chrono::milliseconds>(std::stop_token)>;

  /// `name`: of what it does, in traces. `waker` must outlive it.
  Background(std::string name, Waker& waker, Work work, Waits waits = Waits::kNobody)
      : name_("weft.background " + name), waker_(waker), work_(std::move(work)), waits_(waits) {}
  ~Background() { stop(); }

  /// Begins to work; to be called once.
  void start() {
    thread_ = std::jthread([this](std::stop_token stop) { loop(stop); });
  }

  void stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  static constexpr std::chrono::milliseconds kAfterDefect{1000};

  void loop(std::stop_token stop) {
    if (waits_ == Waits::kNobody) give_way();
    std::uint64_t seen = 0;
    while (!stop.stop_requested()) {
      std::optional<std::chrono::milliseconds> rest = kAfterDefect;
      {
        SpanRelay& relay = SpanRelay::of_background();
        const TraceSpan span(relay.sink(), name_, relay.share());
        guarded_or_logged("background", [&] { rest = work_(stop); });
      }
      waker_.sleep(stop, rest, seen);
    }
  }

  const std::string name_;
  Waker& waker_;
  Work work_;
  const Waits waits_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace weft
