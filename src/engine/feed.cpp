#include "engine/feed.h"

#include <algorithm>

#include "base/guarded.h"
#include "text/json_writer.h"

namespace weft {
namespace {

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

// Making the payload releases its source; from then on the feed holds the JSON.
const Happening& Feed::Entry::read() {
  if (!payload.make) return told;
  told.payload = payload.make();
  payload = {told.payload.size(), nullptr};
  return told;
}

std::size_t Feed::Entry::bytes() const {
  return sizeof(Entry) + scope.str().size() + told.about.size() + payload.bytes;
}

void Feed::drop_oldest() {
  const Happening& oldest = entries_.front().told;
  if (oldest.id > dropped_.id) dropped_ = {oldest.id, oldest.time, oldest.kind, {}, {}};
  bytes_ -= entries_.front().bytes();
  entries_.pop_front();
}

void Feed::add(const ScopeKey& scope, Time time, HappeningKind kind, std::string about, Payload payload) {
  {
    const std::lock_guard lock(mutex_);
    Entry entry{scope, {++last_, time, kind, std::move(about), {}}, std::move(payload)};
    for (const auto& [number, follower] : followers_)
      if (scope.empty() || follower.scope == scope)
        guarded_or_logged("feed", [&, &told = follower.tell] { told(entry.read()); });
    if (entry.bytes() > kLargest) {
      dropped_ = {last_, time, kind, {}, {}};
    } else {
      bytes_ += entry.bytes();
      entries_.push_back(std::move(entry));
    }
    while (entries_.size() > kMostHappenings || bytes_ > kMostBytes) drop_oldest();
  }
  more_.notify_all();
}

void Feed::add(const ScopeKey& scope, PastContext context) {
  PastContext told;
  told.time = context.time;
  told.report.tokens = context.report.tokens;
  told.report.usable = context.report.usable;
  told.report.prefix_equal_bytes = context.report.prefix_equal_bytes;
  told.report.prompt_bytes = context.report.prompt_bytes;
  const std::string session = context.session.str();
  {
    const std::lock_guard lock(mutex_);
    told.id = context.id = ++last_context_;
    contexts_.push_back({scope, std::move(context)});
    if (contexts_.size() > kMostContexts) contexts_.pop_front();
  }
  const Time time = told.time;
  add(scope, time, HappeningKind::kContext, session, {sizeof told, [told] { return told_of(told); }});
}

std::vector<Happening> Feed::of_scope(const ScopeKey& scope, std::uint64_t since) {
  std::vector<Happening> found;
  for (Entry& entry : entries_) {
    if (entry.told.id <= since || (!entry.scope.empty() && entry.scope != scope)) continue;
    bytes_ -= entry.bytes();
    found.push_back(entry.read());
    bytes_ += entry.bytes();
  }
  const bool of_earlier_run = since > 0 && since < start_;
  const std::uint64_t lost = std::max(dropped_.id, of_earlier_run ? start_ : 0);
  if (lost > since) {
    const auto behind = std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.id > lost; });
    found.insert(behind, {lost, dropped_.time, dropped_.kind, {}, {}});
  }
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
  std::erase_if(entries_, [&](const Entry& entry) {
    if (entry.scope != scope) return false;
    bytes_ -= entry.bytes();
    return true;
  });
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
