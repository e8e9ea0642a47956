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

std::string event_of(std::string_view message) { return "event: message\ndata: " + std::string(message) + "\n\n"; }

// A stream that takes nothing any more is over.
bool Mailbox::deliver(const std::string& message) {
  while (!streams_.empty()) {
    if (streams_.back()->offer(event_of(message))) return true;
    streams_.pop_back();
  }
  return false;
}

void Mailbox::put(std::string message) {
  const std::lock_guard lock(mutex_);
  if (closed_ || deliver(message)) return;
  if (messages_.size() >= kMost) messages_.pop_front();
  messages_.push_back(std::move(message));
}

void Mailbox::attach(std::shared_ptr<http::OpenStream> stream) {
  const std::lock_guard lock(mutex_);
  if (closed_) return stream->end();
  streams_.push_back(std::move(stream));
  while (!messages_.empty() && deliver(messages_.front())) messages_.pop_front();
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& stream : streams_) stream->end();
  streams_.clear();
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

void HttpSession::finished(const std::string& request, const std::stop_token& begun) {
  const std::lock_guard lock(mutex_);
  const auto found = at_work_.find(request);
  if (found != at_work_.end() && found->second.get_token() == begun) at_work_.erase(found);
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
  mailbox.close();
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

// Of whoever has most of them, so that nobody's many sessions end those of others.
HttpSessions::Place HttpSessions::oldest_of_most() {
  std::map<std::string_view, std::size_t> counts;
  for (const auto& [id, held] : held_) ++counts[held.session->owner];
  const auto later = [&](const auto& a, const auto& b) {
    const std::size_t of_a = counts[a.second.session->owner], of_b = counts[b.second.session->owner];
    return of_a != of_b ? of_a > of_b : a.second.used < b.second.used;
  };
  return std::min_element(held_.begin(), held_.end(), later);
}

std::vector<std::shared_ptr<HttpSession>> HttpSessions::take_old() {
  std::vector<std::shared_ptr<HttpSession>> old;
  const auto take = [&](auto at) {
    old.push_back(at->second.session);
    return held_.erase(at);
  };
  const auto limit = Clock::now() - kIdle;
  for (auto at = held_.begin(); at != held_.end();) at = at->second.used < limit ? take(at) : std::next(at);
  if (held_.size() >= kMost) take(oldest_of_most());
  return old;
}

}  // namespace weft::mcp
