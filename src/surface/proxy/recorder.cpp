#include "surface/proxy/recorder.h"

#include "base/log.h"

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
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back({scope, session, std::move(message)});
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
    lock.unlock();
    const auto report = engine_.session(entry.scope, entry.session).observe(entry.message);
    // The client sends the answer again with its next call; it is not lost, only later.
    if (!report.ok()) log_warning("proxy.observe", report.error().message);
    lock.lock();
    const auto open = open_.find(entry.scope.key());
    if (--open->second == 0) open_.erase(open);
    changed_.notify_all();
  }
}

}  // namespace weft::proxy
