#include "surface/proxy/recorder.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/guarded.h"
#include "base/threads.h"
#include "flow/stream/session_state.h"

namespace weft::proxy {

std::uint64_t Recorder::opening_of(std::span<const Message> messages) {
  const auto first = std::find_if(messages.begin(), messages.end(),
                                  [](const Message& message) { return message.role != Role::kSystem; });
  return first == messages.end() ? 0 : digest_of(*first);
}

Recorder::Recorder(Engine& engine) : engine_(engine) {
  const Status begun = start_thread(thread_, "keeping answers", [this] { run(); });
  if (!begun.ok()) log_error("proxy.observe", begun.error().message + "; each call keeps its answer itself");
}

Recorder::~Recorder() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Recorder::observe_later(const RequestContext& request, const SessionId& session, Message message,
                             std::uint64_t opening) {
  const MessageId id = message.id;
  const std::uint64_t last = digest_of(message);
  add({.scope = request.scope,
       .said_at = request.said_at,
       .owner = request.scope.key(),
       .session = session,
       .id = id,
       .opening = opening,
       .last = last,
       .is_answer = true,
       .context = CallContext::to_hand_over(),
       .hand_over = [this, session, message = std::move(message)](const RequestContext& late) -> Status {
         const auto report = engine_.session(late, session).observe(message);
         return report.ok() ? Status() : Status(report.error());
       }});
}

void Recorder::sync_later(const RequestContext& request, const SessionId& session, std::vector<Message> messages) {
  const std::uint64_t opening = opening_of(messages), last = messages.empty() ? 0 : digest_of(messages.back());
  add({.scope = request.scope,
       .said_at = request.said_at,
       .owner = request.scope.key(),
       .session = session,
       .id = {},
       .opening = opening,
       .last = last,
       .is_answer = false,
       .context = CallContext::to_hand_over(),
       .hand_over = [this, session, messages = std::move(messages)](const RequestContext& late) -> Status {
         const auto report = engine_.session(late, session).sync(messages);
         return report.ok() ? Status() : Status(report.error());
       }});
}

// Without a thread of the recorder's own the caller hands over.
void Recorder::add(Entry entry) {
  if (!thread_.joinable()) return hand_over(entry, false);
  {
    const std::lock_guard lock(mutex_);
    entry.number = ++added_;
    entries_.push_back(std::move(entry));
  }
  changed_.notify_all();
}

bool Recorder::wait_for(const Scope& scope, const Conversation& conversation, const Deadline& deadline) {
  const ScopeKey owner = scope.key();
  std::unique_lock lock(mutex_);
  if (std::none_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.owner == owner; }))
    return true;
  const std::uint64_t newest = added_;
  lock.unlock();
  const std::uint64_t opening = opening_of(conversation.history);
  std::unordered_set<std::uint64_t> said;
  for (const Message& message : conversation.history) said.insert(digest_of(message));
  const auto is_wanted = [&](const Entry& entry) {
    if (entry.owner != owner || entry.number > newest) return false;
    if (!conversation.previous.empty() && entry.id == conversation.previous) return true;
    if (!conversation.session.empty()) return entry.session == conversation.session;
    return (opening != 0 && entry.opening == opening) || said.contains(entry.last);
  };
  lock.lock();
  const auto none_left = [&] { return std::none_of(entries_.begin(), entries_.end(), is_wanted); };
  const bool done = deadline.until() ? changed_.wait_until(lock, deadline.cancel(), *deadline.until(), none_left)
                                     : changed_.wait(lock, deadline.cancel(), none_left);
  if (done) return true;
  for (auto at = std::next(entries_.begin(), handing_ ? 1 : 0); at != entries_.end();) {
    const bool comes_again = at->is_answer && at->id.empty() && is_wanted(*at) && said.contains(at->last);
    at = comes_again ? entries_.erase(at) : std::next(at);
  }
  return false;
}

// The client sends everything again with its next call; what fails is not lost, only later.
void Recorder::hand_over(const Entry& entry, bool ending) {
  RequestContext request{entry.scope, std::nullopt, {}};
  request.said_at = entry.said_at;
  // Hundreds of answers may be left when the server ends; words decide about them alone.
  if (ending) request.deadline = std::chrono::steady_clock::now();
  const CallScope call(entry.context);
  const CallScope owner(Account{entry.scope.key().str(), {}});
  const Status taken = guarded("keeping an answer", [&] { return entry.hand_over(request); });
  if (!taken.ok()) log_warning("proxy.observe", taken.error().message);
}

void Recorder::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !entries_.empty(); });
    if (entries_.empty()) return;
    const AtEnd over([&] {
      if (!lock.owns_lock()) lock.lock();
      handing_ = false;
      entries_.pop_front();
      changed_.notify_all();
    });
    handing_ = true;
    const Entry& entry = entries_.front();
    const bool ending = ending_;
    lock.unlock();
    guarded_or_logged("proxy.observe", [&] { hand_over(entry, ending); });
  }
}

}  // namespace weft::proxy
