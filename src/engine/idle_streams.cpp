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

}  // namespace

void Streams::note_open_block(const SessionState& state) {
  const SessionKey key(state.row.scope, state.row.session);
  auto open = open_blocks_.lock();
  if (waits_in_vain(state))
    (*open)[key] = core_.clock->now().ms;
  else
    open->erase(key);
}

void Streams::recover_open_blocks() {
  const auto sessions = core_.store->streams().sessions_with_open_block();
  if (!sessions.ok()) {
    log_error("idle.read", sessions.error().message);
    return;
  }
  // When something came to them last is not kept by this clock: they have their whole time from now.
  auto open = open_blocks_.lock();
  for (const auto& [scope, session] : *sessions) (*open)[{scope, session}] = core_.clock->now().ms;
}

// False where it could not be kept: it is tried again.
bool Streams::close_if_idle(const ScopeKey& scope, const SessionId& session, std::int64_t idle_ms) {
  auto held = core_.sessions->hold(scope, session);
  if (!held.ok()) {
    log_error("idle.flush", held.error().message);
    return false;
  }
  const std::int64_t now = core_.clock->now().ms;
  const auto& topic = (*held)->topic;
  if (topic && topic->row.touched_ms + idle_ms > now) return true;
  const bool block = waits_in_vain(**held);
  {
    auto open = open_blocks_.lock();
    const auto at = open->find({scope, session});
    if (at != open->end() && at->second + idle_ms > now) return true;
  }
  if (!topic && !block) {
    open_blocks_.lock()->erase({scope, session});
    return true;
  }
  StreamChange change;
  const auto kept =
      change_stream(*held, change, [&](const StreamPorts& ports, SessionState& state, StreamChange& made) {
        flush_session(ports, Deadline(), state, FlushReason::kIdle, made);
        return Status();
      });
  if (!kept.ok()) log_error("idle.flush", kept.error().message);
  if (kept.ok()) open_blocks_.lock()->erase({scope, session});
  return kept.ok();
}

// Sleeps until the next one is due, however long nothing arrives.
std::optional<std::chrono::milliseconds> Streams::close_idle(std::stop_token) {
  const std::int64_t idle_ms = core_.config.stream.idle_minutes * 60'000;
  const auto topics = core_.store->streams().topics(TopicStatus::kOpen, false);
  if (!topics.ok()) {
    log_error("idle.read", topics.error().message);
    return std::chrono::minutes(1);
  }
  std::map<SessionKey, std::int64_t> waiting = *open_blocks_.lock();
  for (const TopicRow& topic : *topics) {
    std::int64_t& touched = waiting[{topic.scope, topic.session}];
    touched = std::max(touched, topic.touched_ms);
  }
  std::optional<std::int64_t> next;
  for (const auto& [key, touched] : waiting) {
    std::int64_t left = touched + idle_ms - core_.clock->now().ms;
    if (left <= 0 && close_if_idle(key.first, key.second, idle_ms)) continue;
    if (left <= 0) left = kTryAgainMs;
    next = std::min(next.value_or(left), left);
  }
  if (!next) return std::nullopt;
  return std::chrono::milliseconds(*next);
}

}  // namespace weft
