#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "weft/facets/facet.h"
#include "weft/watch.h"

namespace weft {

/// Looking on at what happens in a scope: its conversations and how they were cut, the prompts that were woven, and
/// what happens now. Changes nothing.
class Watch : public Facet {
 public:
  /// Conversations, the one with the newest message first.
  Result<std::vector<SessionSummary>> sessions(std::size_t limit = 100) const;
  /// The same, a page at a time: each conversation that there was as the list was begun comes once.
  Result<SessionsPage> sessions(const SessionsPlace& from, std::size_t limit) const;
  /// The newest turns of a conversation with the decisions about them, of those whose first message has a number below
  /// `before` (0: of all). kNotFound where there is no such conversation.
  Result<WatchedTurns> turns(const SessionId& session, std::size_t limit = 200, std::int64_t before = 0) const;
  /// Prompts woven for a session since the engine was opened, newest first; an empty id: for whichever. Some two
  /// hundred of the whole workspace are held. Only those with an id below `before`, unless it is 0.
  Result<std::vector<PastContext>> contexts(const SessionId& session, std::size_t limit = 20,
                                            std::uint64_t before = 0) const;
  /// Events of the scope's log behind this number, oldest first, a bounded number; waits until there is one,
  /// the time has passed, `stop` is requested or `Upkeep::end_watching` was called. The log keeps
  /// `retention.log_entries` of each scope: if older ones were removed, the first event has no payload.
  Result<std::vector<Happening>> happenings(std::uint64_t since, std::chrono::milliseconds wait = {},
                                            std::stop_token stop = {}) const;
  /// Calls `tell` for each event of the log behind `since`, once and in order, and for live events as they come, until
  /// `unfollow` with the number that this gives, or until `Upkeep::end_watching`. It is called from any thread but one
  /// at a time: it must not wait and must not ask the engine anything.
  Result<std::uint64_t> follow(std::uint64_t since, std::function<void(const Happening&)> tell) const;
  /// `tell` is not called any more when this returns.
  void unfollow(std::uint64_t number) const;
  /// The number of the scope's newest event.
  Result<std::uint64_t> newest() const;

 private:
  friend class Engine;
  using Facet::Facet;
};

}  // namespace weft
