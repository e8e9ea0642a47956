#include "surface/proxy/turn.h"

#include <algorithm>
#include <chrono>

namespace weft::proxy {
namespace {

// A client that has its answer may ask again before its call has quite ended here.
constexpr std::chrono::milliseconds kPatience{200};

}  // namespace

std::vector<SessionId> SessionFinder::busy_in(const ScopeKey& scope) const {
  std::vector<SessionId> out;
  for (auto [at, end] = busy_.equal_range(scope); at != end; ++at) out.push_back(at->second);
  return out;
}

// Waits a little where the conversation is being answered: more often than another chat it is the same one.
Status SessionFinder::wait_for_answer(const RequestContext& request, const std::vector<Message>& history) {
  std::unique_lock lock(mutex_);
  const ScopeKey scope = request.scope.key();
  if (!busy_.contains(scope)) return {};
  lock.unlock();
  WEFT_TRY(const auto session, engine_.memory(request).session_of(history, {}));
  lock.lock();
  released_.wait_for(lock, kPatience, [&] {
    const auto busy = busy_in(scope);
    return std::find(busy.begin(), busy.end(), session) == busy.end();
  });
  return {};
}

Result<SessionFinder::Held> SessionFinder::find(const RequestContext& request, const std::vector<Message>& history) {
  const ScopeKey scope = request.scope.key();
  WEFT_CHECK(wait_for_answer(request, history));
  const std::lock_guard one_at_a_time(finding_);
  std::unique_lock lock(mutex_);
  const auto busy = busy_in(scope);
  lock.unlock();
  Held held;
  WEFT_TRY(held.session_, engine_.memory(request).session_of(history, busy));
  lock.lock();
  const auto place = busy_.emplace(scope, held.session_);
  lock.unlock();  // where no memory is left the place is given back at once
  held.place_ = std::shared_ptr<void>(nullptr, [this, place](void*) {
    const std::lock_guard freed(mutex_);
    busy_.erase(place);
    released_.notify_all();
  });
  return held;
}

SessionFinder::Held SessionFinder::named(SessionId session) {
  Held held;
  held.session_ = std::move(session);
  return held;
}

bool is_found_session(const SessionId& session) { return session.str().starts_with("chat-"); }

Result<SessionFinder::Held> session_of_call(const RequestContext& request, const Names& headers, ChatCall& call,
                                            SessionFinder& finder) {
  const auto& named = headers.session.empty() ? call.names.session : headers.session;
  if (named.empty()) return finder.find(request, call.remembered().messages);
  WEFT_CHECK(check_id(named, "session"));
  return SessionFinder::named(SessionId(named));
}

}  // namespace weft::proxy
