#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/watch.h"

namespace weft {

/// The latest events, in memory: bounded in number and bytes, the newest kept, so that a slow subscriber blocks no
/// writer. An event with an empty scope is the workspace's: every subscriber gets it. Payloads are made when somebody
/// reads them. Safe from any thread.
class Feed {
 public:
  static constexpr std::size_t kMostHappenings = 4096;
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;  ///< of all that is held
  static constexpr std::size_t kLargest = std::size_t{1} << 20;  ///< of one; what is larger is told and not held

  /// Events get the numbers that follow `start`.
  explicit Feed(std::uint64_t start = 0) : last_(start), start_(start) {}
  /// A start behind every number that was given before `now`, so that a client can go on after a restart. It leaves
  /// room for a thousand events in each millisecond of a run, and fits into a number of JavaScript until the year 2248.
  static std::uint64_t start_at(Time now) { return static_cast<std::uint64_t>(now.ms) << 10; }

  /// A payload as JSON. It is asked for at most once, under the lock of the feed: it must not call the feed.
  struct Payload {
    std::size_t bytes = 0;  ///< about so many are held for it
    std::function<std::string()> make;
  };
  /// Adds a happening; tells those who follow and wakes those who wait.
  void add(const ScopeKey& scope, Time time, HappeningKind kind, std::string about, Payload payload);
  /// Adds a prompt and tells of it.
  void add(const ScopeKey& scope, PastContext context);

  /// Events behind `since` of this scope, oldest first; waits as `Watch::happenings` says. If events behind `since` are
  /// not held any more, of whichever scope, or `since` is of an earlier run, an event without a payload has the number
  /// up to which that is so.
  std::vector<Happening> after(const ScopeKey& scope, std::uint64_t since, std::chrono::milliseconds wait,
                               const std::stop_token& stop);
  /// Tells what is behind `since` and of this scope, then what comes, each once and in order; see `Watch::follow`.
  using Tell = std::function<void(const Happening&)>;
  std::uint64_t follow(const ScopeKey& scope, std::uint64_t since, Tell tell);
  /// After this nothing is told any more.
  void unfollow(std::uint64_t number);

  /// The newest prompts of a scope, of one session where it is named.
  std::vector<PastContext> contexts(const ScopeKey& scope, const SessionId& session, std::size_t limit,
                                    std::uint64_t before = 0) const;
  std::uint64_t newest() const;

  /// Drops what a scope said.
  void forget(const ScopeKey& scope);
  /// Nobody waits or follows any more.
  void close();

 private:
  struct Entry {
    ScopeKey scope;
    Happening told;  ///< without its payload until somebody reads it
    Payload payload;
    const Happening& read();
    std::size_t bytes() const;
  };
  struct Follower {
    ScopeKey scope;
    Tell tell;
  };
  struct Woven {
    ScopeKey scope;
    PastContext context;
  };

  std::vector<Happening> of_scope(const ScopeKey& scope, std::uint64_t since);
  void drop_oldest();

  mutable std::mutex mutex_;
  std::condition_variable_any more_;
  std::deque<Entry> entries_;
  std::deque<Woven> contexts_;
  std::map<std::uint64_t, Follower> followers_;
  std::uint64_t last_ = 0, last_context_ = 0, last_follower_ = 0;
  const std::uint64_t start_;
  Happening dropped_;  ///< the newest that was not held or is not any more, for want of room; without its payload
  std::size_t bytes_ = 0;
  bool closed_ = false;
};

}  // namespace weft
