#include "surface/proxy/recorder.h"

#include "base/accounted_to.h"
#include "base/guarded.h"
#include "base/trace_cause.h"

namespace weft::proxy {

Recorder::Recorder(Engine& engine) : engine_(engine), thread_([this] { run(); }) {}

Recorder::~Recorder() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Recorder::observe_later(const Scope& scope, const SessionId& session, Message message) {
  add(scope, [this, session, message = std::move(message)](const RequestContext& request) -> Status {
    const auto report = engine_.session(request, session).observe(message);
    return report.ok() ? Status() : Status(report.error());
  });
}

void Recorder::sync_later(const Scope& scope, const SessionId& session, std::vector<Message> messages) {
  add(scope, [this, session, messages = std::move(messages)](const RequestContext& request) -> Status {
    const auto report = engine_.session(request, session).sync(messages);
    return report.ok() ? Status() : Status(report.error());
  });
}

void Recorder::add(const Scope& scope, std::function<Status(const RequestContext&)> hand_over) {
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back({scope, TraceCause::current(), std::move(hand_over)});
    ++open_[scope.key()];
  }
  changed_.notify_all();
}

void Recorder::wait_for(const Scope& scope) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&, key = scope.key()] { return !open_.contains(key); });
}

void Recorder::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !entries_.empty(); });
    if (entries_.empty()) return;
    const auto entry = std::move(entries_.front());
    entries_.pop_front();
    RequestContext request{entry.scope, std::nullopt, {}};
    // Hundreds of answers may be left when the server ends; words decide about them alone.
    if (ending_) request.deadline = std::chrono::steady_clock::now();
    lock.unlock();
    const TraceCause because(entry.cause);
    const AccountedTo account({entry.scope.key().str(), {}});
    // The client sends everything again with its next call; it is not lost, only later.
    const Status taken = guarded("keeping an answer", [&] { return entry.hand_over(request); });
    if (!taken.ok()) log_warning("proxy.observe", taken.error().message);
    lock.lock();
    const auto open = open_.find(entry.scope.key());
    if (--open->second == 0) open_.erase(open);
    changed_.notify_all();
  }
}

}  // namespace weft::proxy
