#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "weft/time.h"

namespace weft {

/// The time of day, injected so that tests do not sleep and the same input gives the same bytes.
/// `now` may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

/// The system's clock with the system's zone.
class SystemClock final : public Clock {
 public:
  Time now() const override;
};

/// Milliseconds since construction, for timing steps.
class Stopwatch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }
  void restart() { start_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A day of the proleptic Gregorian calendar, of any year; std::chrono's year has 16 bits, which do not hold every
/// count of milliseconds.
struct CivilDay {
  std::int64_t year = 1970;
  int month = 1, day = 1;

  friend bool operator==(const CivilDay&, const CivilDay&) = default;
};

// Years are counted from March, so that the leap day is the last of its year; an era is 400 years.

/// Days since 1970-01-01. The month is from 1 to 12, the day may be any.
constexpr std::int64_t day_of_civil(CivilDay date) {
  const std::int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

constexpr CivilDay civil_of_day(std::int64_t days) {
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const std::int64_t day_of_era = shifted - era * 146097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;
  const int month = static_cast<int>(march_month < 10 ? march_month + 3 : march_month - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          static_cast<int>(day_of_year - (153 * march_month + 2) / 5 + 1)};
}

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
