// Closing what nothing has come to for a while: topics, and blocks that wait for an answer that does not come.
#include <algorithm>

#include "base/log.h"
#include "engine/engine_core.h"
#include "engine/streams.h"

namespace weft {
namespace {

constexpr std::int64_t kTryAgainMs = 5000;  // after a flush that failed

// An agent may be at work for longer than the idle time; a question without an answer is not worked on.
bool waits_in_vain(const SessionState& state) {
  const LogicalBlock* open = state.parser.open();
  return open != nullptr && open->execution_chain.empty() && !open->response_block;
}

// By what is kept of it, for a session that may have gone on at another server.
std::int64_t last_touched(const SessionState& state) {
  const LogicalBlock* open = state.parser.open();
  return std::max(state.topic ? state.topic->row.touched_ms : 0, open != nullptr ? open->timestamp.ms : 0);
}

}  // namespace

void Streams::note_touched(const SessionState& state) {
  const std::int64_t topic = state.topic ? state.topic->row.touched_ms : 0;
  const std::int64_t last = waits_in_vain(state) ? std::max(topic, core_.clock->now().ms) : topic;
  auto touched = touched_.lock();
  if (last == 0)
    touched->erase({state.row.scope, state.row.session});
  else
    (*touched)[{state.row.scope, state.row.session}] = last;
}

Status Streams::load_open_sessions() {
  WEFT_TRY(const auto open, core_.store->streams().open_sessions());
  auto touched = touched_.lock();
  for (const OpenSession& one : open)
    touched->try_emplace(one.session, one.touched_ms > 0 ? one.touched_ms : core_.clock->now().ms);
  return {};
}

// False where it could not be kept: it is tried again.
bool Streams::close_if_idle(const ScopeKey& scope, const SessionId& session, std::int64_t idle_ms) {
  auto held = core_.sessions->hold(scope, session);
  if (!held.ok()) {
    log_error("idle.flush", held.error().message);
    return false;
  }
  {
    // Something may have come to it, or it was erased.
    auto touched = touched_.lock();
    const auto at = touched->find({scope, session});
    if (at == touched->end() || at->second + idle_ms > core_.clock->now().ms) return true;
    if (!(*held)->topic && !waits_in_vain(**held)) {
      touched->erase(at);
      return true;
    }
  }
  StreamChange change;
  if (core_.store->is_shared()) held->forget();  // it may have gone on at another server
  const auto kept =
      change_stream(*held, change, [&](const StreamPorts& ports, SessionState& state, StreamChange& made) {
        const bool is_over =
            !state.topic && !state.parser.open() && state.waiting.empty();  // closed or erased elsewhere
        if (is_over || (core_.store->is_shared() && last_touched(state) + idle_ms > core_.clock->now().ms))
          return Status();
        flush_session(ports, Deadline(), state, FlushReason::kIdle, made);
        return Status();
      });
  if (!kept.ok()) log_error("idle.flush", kept.error().message);
  return kept.ok();
}

// Sleeps until the next one is due, however long nothing arrives. Whoever wakes it earlier costs nothing: what is
// touched from now on is not due before the idle time has passed.
std::optional<std::chrono::milliseconds> Streams::close_idle(std::stop_token) {
  const std::int64_t idle_ms = core_.config.stream.idle_minutes * 60'000;
  const std::int64_t begun = core_.clock->now().ms;
  const bool is_set_back = none_idle_before_ms_ > begun + idle_ms;  // the clock
  if (begun >= none_idle_before_ms_ || is_set_back) {
    std::int64_t next = begun + idle_ms;
    const std::map<SessionKey, std::int64_t> waiting = *touched_.lock();
    for (const auto& [key, touched] : waiting) {
      std::int64_t due = touched + idle_ms;
      if (due <= begun && close_if_idle(key.first, key.second, idle_ms)) continue;
      if (due <= begun) due = core_.clock->now().ms + kTryAgainMs;
      next = std::min(next, due);
    }
    none_idle_before_ms_ = next;
  }
  return std::chrono::milliseconds(std::max<std::int64_t>(1, none_idle_before_ms_ - core_.clock->now().ms));
}

}  // namespace weft
