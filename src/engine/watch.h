#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/background.h"
#include "model/rows.h"
#include "ports/store/store.h"
#include "weft/request.h"
#include "weft/watch.h"

namespace weft {

/// The events of each scope, for clients that watch it. Messages, turns, topics and the like are read from the
/// scope's log: their events have its numbers, so that a client can go on after a restart and at another server.
/// Prompts, jobs and steps of runs are live: clients that follow at that moment get them, without a number. Safe from
/// any thread.
class Feed {
 public:
  Feed(Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  /// To be called after each write that appends to the log.
  void appended(const WriteBatch& batch);
  /// To be called when another program may have appended to the log.
  void wake();
  /// Sends a live event to those who follow the scope; an empty scope means all of them. `payload` gives JSON, and is
  /// called only if somebody follows, under the lock of the feed.
  void send(const ScopeKey& scope, Time time, HappeningKind kind, std::string about,
            const std::function<std::string()>& payload);
  /// Keeps a prompt and sends an event about it.
  void add(const ScopeKey& scope, PastContext context);

  /// Events of the log behind `since`, oldest first; waits as `Watch::happenings` says.
  Result<std::vector<Happening>> after(const ScopeKey& scope, std::uint64_t since, std::chrono::milliseconds wait,
                                       const std::stop_token& stop);
  /// Gives each event of the log behind `since` to `tell`, once and in order, and live events as they come; see
  /// `Watch::follow`.
  using Tell = std::function<void(const Happening&)>;
  std::uint64_t follow(const ScopeKey& scope, std::uint64_t since, Tell tell);
  /// `tell` is not called any more when this returns.
  void unfollow(std::uint64_t number);
  /// The number of the scope's newest event.
  Result<std::uint64_t> newest(const ScopeKey& scope);

  /// The newest prompts of a scope, of one session where it is named.
  std::vector<PastContext> contexts(const ScopeKey& scope, const SessionId& session, std::size_t limit,
                                    std::uint64_t before = 0) const;
  /// Drops the prompts of a scope, and events of it that were read and not given yet: something was erased there.
  void forget(const ScopeKey& scope);

  /// For the thread that serves followers: gives them what they have not got yet. Gives when to try again, if the store
  /// failed.
  std::optional<std::chrono::milliseconds> work(std::stop_token stop);
  Waker& waker() { return waker_; }
  /// Nobody waits or follows any more.
  void close();

 private:
  struct Follower {
    ScopeKey scope;
    std::uint64_t since = 0;
    Tell tell;
    bool is_behind = true;  ///< its scope's log may have more
    std::uint64_t forgotten = 0;  ///< how often something of the scope was erased
    std::chrono::milliseconds pause{0};  ///< after a failure
    std::chrono::steady_clock::time_point retry_at{};
  };
  struct Woven {
    ScopeKey scope;
    PastContext context;
  };
  struct Page {
    std::vector<Happening> events;
    std::uint64_t since = 0;  ///< from where on to read next
    bool has_more = false;
  };

  /// A page that the thread is to read, and the followers that wait for it.
  struct Wanted {
    ScopeKey scope;
    std::uint64_t since = 0;
    std::map<std::uint64_t, std::uint64_t> followers;  ///< number → `forgotten`
  };

  std::optional<Wanted> next_wanted(std::uint64_t behind, std::optional<std::chrono::milliseconds>& rest);
  void give(const Wanted& wanted, const Page& page);
  void pause(const Wanted& wanted, const std::string& failure);
  Result<Page> read(const ScopeKey& scope, std::uint64_t since);
  Result<std::vector<Happening>> events_of(const ScopeKey& scope, const std::vector<LogEntry>& entries);
  Result<std::optional<Happening>> dropped(const ScopeKey& scope, std::uint64_t since, std::uint64_t newest,
                                           const std::vector<LogEntry>& entries);

  Store& store_;
  const Clock& clock_;
  Waker waker_;
  mutable std::mutex mutex_;
  std::condition_variable_any more_;
  std::map<std::uint64_t, Follower> followers_;
  std::deque<Woven> contexts_;
  std::uint64_t last_context_ = 0, last_follower_ = 0;
  bool is_closed_ = false;
};

struct EngineCore;

/// Answers clients that watch a scope: conversations and their topics from the rows, prompts and events from the feed.
/// Safe from any thread.
class Watcher final {
 public:
  explicit Watcher(EngineCore& core) : core_(core) {}

  // As the facet `Watch` says.
  Result<SessionsPage> sessions(const RequestContext& request, const SessionsPlace& from, std::size_t limit);
  Result<WatchedTurns> turns(const RequestContext& request, const SessionId& session, std::size_t limit,
                             std::int64_t before);
  Result<std::vector<PastContext>> contexts(const RequestContext& request, const SessionId& session, std::size_t limit,
                                            std::uint64_t before);
  Result<std::vector<Happening>> happenings(const RequestContext& request, std::uint64_t since,
                                            std::chrono::milliseconds wait, std::stop_token stop);
  Result<std::uint64_t> newest_happening(const RequestContext& request);
  Result<std::vector<ScopeKey>> scopes();
  std::uint64_t follow(const RequestContext& request, std::uint64_t since, std::function<void(const Happening&)> tell);
  void unfollow(std::uint64_t number);
  void end_watching();

 private:
  Result<std::string> beginning_of(const ScopeKey& scope, const SessionId& session, std::int64_t sequence);
  Result<SessionSummary> summary_of(const SessionRow& row);
  Result<std::vector<SessionRow>> sessions_as_of(const ScopeKey& scope, std::int64_t number);

  EngineCore& core_;
};

}  // namespace weft
