#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "model/rows.h"
#include "weft/request.h"
#include "weft/watch.h"

namespace weft {

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
