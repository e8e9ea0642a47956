#include "surface/mcp/http_session.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <utility>

namespace weft::mcp {
namespace {

// Not to be guessed: whoever has it speaks in the conversation.
std::string random_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(random()));
    id += digits;
  }
  return id;
}

}  // namespace

void Mailbox::put(std::string message) {
  const std::lock_guard lock(mutex_);
  if (messages_.size() >= kMost) messages_.pop_front();
  messages_.push_back(std::move(message));
  changed_.notify_one();
}

std::vector<std::string> Mailbox::take(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return woken_ || !messages_.empty(); });
  woken_ = false;
  const auto all = std::exchange(messages_, {});
  return {all.begin(), all.end()};
}

void Mailbox::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

Client HttpSession::client() const {
  const std::lock_guard lock(mutex_);
  return client_;
}

void HttpSession::set(const Client& client) {
  const std::lock_guard lock(mutex_);
  client_ = client;
}

void HttpSession::set_level(Severity level) {
  const std::lock_guard lock(mutex_);
  client_.log = level;
}

std::stop_token HttpSession::begin(const std::string& request) {
  const std::lock_guard lock(mutex_);
  return (at_work_[request] = std::stop_source()).get_token();
}

void HttpSession::finished(const std::string& request) {
  const std::lock_guard lock(mutex_);
  at_work_.erase(request);
}

void HttpSession::cancel(const std::string& request) {
  std::optional<std::stop_source> stop;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = at_work_.find(request); found != at_work_.end()) stop = found->second;
  }
  if (stop) stop->request_stop();  // outside the lock: stop callbacks run here
}

void HttpSession::cancel_all() {
  std::map<std::string, std::stop_source> all;
  {
    const std::lock_guard lock(mutex_);
    all = at_work_;
  }
  for (auto& [request, stop] : all) stop.request_stop();
  pending.give_up();
  mailbox.wake();
}

std::optional<std::uint64_t> HttpSession::listener() const {
  const std::lock_guard lock(mutex_);
  return listener_;
}

std::uint64_t HttpSession::listen_as(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (!listener_) listener_ = number;
  return *listener_;
}

std::shared_ptr<HttpSession> HttpSessions::make(const std::string& owner, const Client& client) {
  auto session = std::make_shared<HttpSession>();
  session->id = random_id();
  session->owner = owner;
  session->set(client);
  std::vector<std::shared_ptr<HttpSession>> old;
  {
    const std::lock_guard lock(mutex_);
    old = take_old();
    held_[session->id] = {session, Clock::now()};
  }
  for (const auto& one : old) gone_(*one);
  return session;
}

std::shared_ptr<HttpSession> HttpSessions::find(std::string_view id, const std::string& owner) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  if (found == held_.end() || found->second.session->owner != owner) return nullptr;
  found->second.used = Clock::now();
  return found->second.session;
}

bool HttpSessions::remove(std::string_view id, const std::string& owner) {
  const auto session = find(id, owner);
  if (!session) return false;
  {
    const std::lock_guard lock(mutex_);
    held_.erase(session->id);
  }
  gone_(*session);
  return true;
}

std::vector<std::shared_ptr<HttpSession>> HttpSessions::take_old() {
  std::vector<std::shared_ptr<HttpSession>> old;
  const auto take = [&](auto at) {
    old.push_back(at->second.session);
    return held_.erase(at);
  };
  const auto limit = Clock::now() - kIdle;
  for (auto at = held_.begin(); at != held_.end();) at = at->second.used < limit ? take(at) : std::next(at);
  if (held_.size() >= kMost)
    take(std::min_element(held_.begin(), held_.end(),
                          [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  return old;
}

}  // namespace weft::mcp
