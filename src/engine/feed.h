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

/// What happened lately, in memory: bounded, newest kept, so that nobody who looks on can hold anybody up. An empty
/// scope means the workspace: everybody is told. Safe from any thread.
class Feed {
 public:
  /// Adds a happening; tells those who follow and wakes those who wait.
  void add(const ScopeKey& scope, Time time, HappeningKind kind, std::string about, std::string payload);
  /// Adds a prompt and tells of it.
  void add(const ScopeKey& scope, PastContext context);

  /// What is behind `since` and of this scope, oldest first; waits as `Watch::happenings` says.
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
    Happening told;
  };
  struct Follower {
    ScopeKey scope;
    Tell tell;
  };
  struct Woven {
    ScopeKey scope;
    PastContext context;
  };

  std::vector<Happening> of_scope(const ScopeKey& scope, std::uint64_t since) const;

  mutable std::mutex mutex_;
  std::condition_variable_any more_;
  std::deque<Entry> entries_;
  std::deque<Woven> contexts_;
  std::map<std::uint64_t, Follower> followers_;
  std::uint64_t last_ = 0, last_context_ = 0, last_follower_ = 0;
  bool closed_ = false;
};

}  // namespace weft
