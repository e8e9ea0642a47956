#include "engine/feed.h"

#include "text/json_writer.h"

namespace weft {
namespace {

// A message is some hundred bytes to some thousand, a report some ten thousand: a few megabytes in all.
constexpr std::size_t kMostHappenings = 4096;
constexpr std::size_t kMostContexts = 200;

// What a list shows of a prompt; the whole is asked for by its session.
std::string told_of(const PastContext& context) {
  JsonWriter out;
  out.begin('{');
  out.name("id");
  out.count(context.id);
  out.name("tokens");
  out.whole(context.report.tokens);
  out.name("usable");
  out.whole(context.report.usable);
  out.name("prefix_equal_bytes");
  out.whole(context.report.prefix_equal_bytes);
  out.name("prompt_bytes");
  out.whole(context.report.prompt_bytes);
  out.end('}');
  return out.take();
}

}  // namespace

void Feed::add(const ScopeKey& scope, Time time, HappeningKind kind, std::string about, std::string payload) {
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back({scope, {++last_, time, kind, std::move(about), std::move(payload)}});
    for (const auto& [number, follower] : followers_)
      if (scope.empty() || follower.scope == scope) follower.tell(entries_.back().told);
    if (entries_.size() > kMostHappenings) entries_.pop_front();
  }
  more_.notify_all();
}

void Feed::add(const ScopeKey& scope, PastContext context) {
  std::string told;
  const Time time = context.time;
  const std::string session = context.session.str();
  {
    const std::lock_guard lock(mutex_);
    context.id = ++last_context_;
    told = told_of(context);
    contexts_.push_back({scope, std::move(context)});
    if (contexts_.size() > kMostContexts) contexts_.pop_front();
  }
  add(scope, time, HappeningKind::kContext, session, std::move(told));
}

std::vector<Happening> Feed::of_scope(const ScopeKey& scope, std::uint64_t since) const {
  std::vector<Happening> found;
  for (const Entry& entry : entries_)
    if (entry.told.id > since && (entry.scope.empty() || entry.scope == scope)) found.push_back(entry.told);
  return found;
}

std::vector<Happening> Feed::after(const ScopeKey& scope, std::uint64_t since, std::chrono::milliseconds wait,
                                   const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  std::vector<Happening> found;
  // Numbers that were looked at need not be looked at again for what others do.
  std::uint64_t seen = since;
  const auto there = [&] {
    if (last_ > seen) found = of_scope(scope, seen);
    seen = last_;
    return closed_ || !found.empty();
  };
  more_.wait_for(lock, stop, wait, there);
  return found;
}

std::uint64_t Feed::follow(const ScopeKey& scope, std::uint64_t since, Tell tell) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = ++last_follower_;
  if (closed_) return number;
  for (const Happening& one : of_scope(scope, since)) tell(one);
  followers_.emplace(number, Follower{scope, std::move(tell)});
  return number;
}

void Feed::unfollow(std::uint64_t number) {
  Follower gone;  // what it holds goes without the lock
  const std::lock_guard lock(mutex_);
  if (const auto found = followers_.find(number); found != followers_.end()) {
    gone = std::move(found->second);
    followers_.erase(found);
  }
}

std::vector<PastContext> Feed::contexts(const ScopeKey& scope, const SessionId& session, std::size_t limit,
                                        std::uint64_t before) const {
  const std::lock_guard lock(mutex_);
  std::vector<PastContext> found;
  for (auto at = contexts_.rbegin(); at != contexts_.rend() && found.size() < limit; ++at)
    if (at->scope == scope && (before == 0 || at->context.id < before) &&
        (session.empty() || at->context.session == session))
      found.push_back(at->context);
  return found;
}

std::uint64_t Feed::newest() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void Feed::forget(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.scope == scope; });
  std::erase_if(contexts_, [&](const Woven& woven) { return woven.scope == scope; });
}

void Feed::close() {
  std::map<std::uint64_t, Follower> gone;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    gone.swap(followers_);
  }
  more_.notify_all();
}

}  // namespace weft
