#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <stop_token>

namespace weft {

/// Until when somebody waits for the answer, and whether they still do. Copied freely; safe from any thread.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  Deadline() = default;  ///< no limit
  static Deadline after(std::chrono::milliseconds time) { return Deadline(Clock::now() + time, {}); }
  Deadline(std::optional<Clock::time_point> until, std::stop_token cancel)
      : until_(until), cancel_(std::move(cancel)) {}

  /// The same, but not later than `time` from now.
  Deadline within(std::chrono::milliseconds time) const {
    const auto limit = Clock::now() + time;
    return Deadline(until_ ? std::min(*until_, limit) : limit, cancel_);
  }

  bool cancelled() const { return cancel_.stop_requested(); }
  bool passed() const { return cancelled() || (until_ && Clock::now() >= *until_); }
  const std::stop_token& cancel() const { return cancel_; }
  const std::optional<Clock::time_point>& until() const { return until_; }

  /// Time left, never negative; `otherwise` where there is no limit.
  std::chrono::milliseconds left(std::chrono::milliseconds otherwise) const {
    if (!until_) return otherwise;
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(*until_ - Clock::now());
    return std::max(rest, std::chrono::milliseconds(0));
  }

 private:
  std::optional<Clock::time_point> until_;
  std::stop_token cancel_;
};

}  // namespace weft
