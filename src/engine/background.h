#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/guarded.h"
#include "base/trace_cause.h"

namespace weft {

/// A thread that works when it is woken or when its time has come, and sleeps without a tick otherwise. It is made
/// without beginning, so that threads which wake each other all exist before the first one runs.
class Background {
 public:
  /// `work` does what there is to do and gives the time until which to sleep if nobody wakes the thread; none: until
  /// woken. What it throws is logged, and it is called again after kAfterDefect.
  using Work = std::function<std::optional<std::chrono::milliseconds>(std::stop_token)>;

  /// `name`: of what it does, in traces.
  Background(std::string name, Work work) : name_("weft.background " + name), work_(std::move(work)) {}
  ~Background() { stop(); }

  /// Begins to work; to be called once.
  void start() {
    thread_ = std::jthread([this](std::stop_token stop) { loop(stop); });
  }

  /// From any thread, also before it has begun.
  void wake() {
    {
      std::lock_guard lock(mutex_);
      woken_ = true;
    }
    moved_.notify_all();
  }

  void stop() {
    thread_.request_stop();
    moved_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  static constexpr std::chrono::milliseconds kAfterDefect{1000};

  void loop(std::stop_token stop) {
    while (!stop.stop_requested()) {
      std::optional<std::chrono::milliseconds> rest = kAfterDefect;
      {
        SpanRelay& relay = SpanRelay::of_background();
        const TraceSpan span(relay.sink(), name_, relay.share());
        guarded_or_logged("background", [&] { rest = work_(stop); });
      }
      std::unique_lock lock(mutex_);
      const auto ready = [this] { return woken_; };
      if (rest)
        moved_.wait_for(lock, stop, *rest, ready);
      else
        moved_.wait(lock, stop, ready);
      woken_ = false;
    }
  }

  const std::string name_;
  Work work_;
  std::mutex mutex_;
  std::condition_variable_any moved_;
  bool woken_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace weft
