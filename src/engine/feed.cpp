#include "engine/feed.h"

#include <algorithm>
#include <cstdlib>

#include "base/guarded.h"
#include "base/log.h"
#include "flow/stream/kept_decision.h"
#include "model/records.h"
#include "model/watch_records.h"
#include "text/json_writer.h"

namespace weft {
namespace {

constexpr std::size_t kMostContexts = 200;
constexpr std::size_t kEntries = 50;  // read at a time: each may be a large message
constexpr std::chrono::milliseconds kAfterFailure{1000};

// A list shows this of a prompt; the whole report is read by its session.
std::string summary_of(const PastContext& context) {
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

std::string object_of(std::initializer_list<std::pair<const char*, std::string_view>> fields) {
  JsonWriter out;
  out.begin('{');
  for (const auto& [name, value] : fields) {
    out.name(name);
    out.text(value);
  }
  out.end('}');
  return out.take();
}

std::string json_of(const MessageRow& row) {
  StoredMessage stored{row.message, row.session, row.seq, row.active, row.tokens};
  stored.message.raw.clear();
  return to_json(stored);
}

std::string json_of(const TopicRow& row) {
  return to_json(
      Flushed{row.id, row.reason, JobId("topic-" + row.id.str()), static_cast<std::size_t>(row.blocks), row.tokens});
}

}  // namespace

void Feed::appended(const WriteBatch& batch) {
  bool is_awaited = false;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [number, follower] : followers_) {
      const auto is_its_own = [&, &scope = follower.scope](const auto& row) { return row.scope == scope; };
      if (!std::any_of(batch.messages.begin(), batch.messages.end(), is_its_own) &&
          !std::any_of(batch.log.begin(), batch.log.end(), is_its_own))
        continue;
      follower.is_behind = is_awaited = true;
    }
  }
  if (is_awaited) waker_.wake();
}

void Feed::wake() {
  {
    const std::lock_guard lock(mutex_);
    if (followers_.empty()) return;
    for (auto& [number, follower] : followers_) follower.is_behind = true;
  }
  waker_.wake();
}

void Feed::send(const ScopeKey& scope, Time time, HappeningKind kind, std::string about,
                const std::function<std::string()>& payload) {
  const std::lock_guard lock(mutex_);
  std::optional<Happening> event;
  for (const auto& [number, follower] : followers_) {
    if (!scope.empty() && follower.scope != scope) continue;
    if (!event) event = Happening{0, time, kind, about, payload()};
    guarded_or_logged("feed", [&, &tell = follower.tell] { tell(*event); });
  }
}

void Feed::add(const ScopeKey& scope, PastContext context) {
  PastContext summary;
  summary.report.tokens = context.report.tokens;
  summary.report.usable = context.report.usable;
  summary.report.prefix_equal_bytes = context.report.prefix_equal_bytes;
  summary.report.prompt_bytes = context.report.prompt_bytes;
  const std::string session = context.session.str();
  const Time time = context.time;
  {
    const std::lock_guard lock(mutex_);
    summary.id = context.id = ++last_context_;
    contexts_.push_back({scope, std::move(context)});
    if (contexts_.size() > kMostContexts) contexts_.pop_front();
  }
  send(scope, time, HappeningKind::kContext, session, [&] { return summary_of(summary); });
}

// Entries whose rows were erased since give no event.
Result<std::vector<Happening>> Feed::events_of(const ScopeKey& scope, const std::vector<LogEntry>& entries) {
  std::vector<std::int64_t> numbers;
  for (const LogEntry& entry : entries)
    if (entry.kind == LogKind::kMessage) numbers.push_back(std::atoll(entry.body.c_str()));
  std::map<std::string, std::string> messages;  // by number
  if (!numbers.empty()) {
    WEFT_TRY(const auto rows, store_.messages().numbered(scope, numbers));
    for (const MessageRow& row : rows) messages[std::to_string(row.seq)] = json_of(row);
  }
  std::vector<Happening> events;
  for (const LogEntry& entry : entries) {
    Happening event{static_cast<std::uint64_t>(entry.seq),
                    Time{entry.time_ms, 0},
                    HappeningKind::kMessage,
                    entry.session.str(),
                    {}};
    switch (entry.kind) {
      case LogKind::kMessage:
        if (const auto found = messages.find(entry.body); found != messages.end()) event.payload = found->second;
        break;
      case LogKind::kTurn: {
        event.kind = HappeningKind::kTurn;
        WEFT_TRY(auto decision, store_.documents().newest(scope, decision_kind(entry.session), entry.body));
        if (decision) event.payload = std::move(decision->body);
        break;
      }
      case LogKind::kTopicClosed: {
        event.kind = HappeningKind::kTopic;
        WEFT_TRY(const auto topic, store_.streams().topic(scope, entry.session, TopicId(entry.body)));
        if (topic) event.payload = json_of(*topic);
        break;
      }
      case LogKind::kEnded:
        event.kind = HappeningKind::kEnd;
        event.payload = "{}";
        break;
      case LogKind::kAnswered:
        event.kind = HappeningKind::kAnswer;
        event.payload = object_of({{"question", entry.body}});
        break;
      case LogKind::kTaskClosed:
        event.kind = HappeningKind::kTask;
        event.payload = object_of({{"report", entry.body}});
        break;
      case LogKind::kDocument: {
        event.kind = HappeningKind::kDocument;
        const std::string_view body = entry.body;
        const std::size_t slash = std::min(body.find('/'), body.size());
        event.payload =
            object_of({{"kind", body.substr(0, slash)}, {"id", body.substr(std::min(slash + 1, body.size()))}});
        break;
      }
    }
    if (!event.payload.empty()) events.push_back(std::move(event));
  }
  return events;
}

// If entries behind `since` were removed for want of room, an event without a payload that has the number of the last
// one. A gap behind entries that are still there was made by an erasure, which is nobody's news.
Result<std::optional<Happening>> Feed::dropped(const ScopeKey& scope, std::uint64_t since, std::uint64_t newest,
                                               const std::vector<LogEntry>& entries) {
  std::optional<Happening> event;
  const std::uint64_t next = entries.empty() ? newest + 1 : static_cast<std::uint64_t>(entries.front().seq);
  if (next == since + 1) return event;
  WEFT_TRY(const auto first, store_.log().behind(scope, 0, 1));
  if (!first.empty() && static_cast<std::uint64_t>(first.front().seq) <= since) return event;
  event = Happening{next - 1, Time{entries.empty() ? 0 : entries.front().time_ms, 0}, HappeningKind::kMessage, {}, {}};
  return event;
}

// After everything of a scope was erased its log begins anew.
Result<Feed::Page> Feed::read(const ScopeKey& scope, std::uint64_t since) {
  WEFT_TRY(const std::uint64_t newest, this->newest(scope));
  if (newest == since) return Page{{}, since, false};
  if (since > newest) since = 0;
  WEFT_TRY(const auto entries, store_.log().behind(scope, static_cast<std::int64_t>(since), kEntries));
  Page page{{}, entries.empty() ? newest : static_cast<std::uint64_t>(entries.back().seq), entries.size() >= kEntries};
  WEFT_TRY(page.events, events_of(scope, entries));
  WEFT_TRY(auto gap, dropped(scope, since, newest, entries));
  if (gap) page.events.insert(page.events.begin(), std::move(*gap));
  return page;
}

Result<std::uint64_t> Feed::newest(const ScopeKey& scope) {
  WEFT_TRY(const std::int64_t newest, store_.log().newest(scope));
  return static_cast<std::uint64_t>(newest);
}

Result<std::vector<Happening>> Feed::after(const ScopeKey& scope, std::uint64_t since, std::chrono::milliseconds wait,
                                           const std::stop_token& stop) {
  std::vector<Happening> found;
  for (Page page{{}, since, true}; page.has_more && found.empty();) {
    WEFT_TRY(page, read(scope, page.since));
    found = std::move(page.events);
    since = page.since;
  }
  if (!found.empty() || wait.count() == 0) return found;
  const std::uint64_t number = follow(scope, since, [&](const Happening& one) {
    if (one.id == 0) return;
    found.push_back(one);
    more_.notify_all();
  });
  {
    std::unique_lock lock(mutex_);
    more_.wait_for(lock, stop, wait, [&] { return is_closed_ || !found.empty(); });
  }
  unfollow(number);
  return found;
}

std::uint64_t Feed::follow(const ScopeKey& scope, std::uint64_t since, Tell tell) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++last_follower_;
    if (!is_closed_) followers_.emplace(number, Follower{scope, since, std::move(tell)});
  }
  waker_.wake();
  return number;
}

void Feed::unfollow(std::uint64_t number) {
  Follower gone;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  if (const auto found = followers_.find(number); found != followers_.end()) {
    gone = std::move(found->second);
    followers_.erase(found);
  }
}

// The rows are read without the lock.
std::optional<std::chrono::milliseconds> Feed::work(std::stop_token stop) {
  std::uint64_t number = 0;  // of the follower that was served last
  while (!stop.stop_requested()) {
    ScopeKey scope;
    std::uint64_t since = 0;
    {
      const std::lock_guard lock(mutex_);
      // In turns: a follower with much to read holds up no other.
      const auto is_behind = [](const auto& one) { return one.second.is_behind; };
      auto next = std::find_if(followers_.upper_bound(number), followers_.end(), is_behind);
      if (next == followers_.end()) next = std::find_if(followers_.begin(), followers_.end(), is_behind);
      if (next == followers_.end()) return std::nullopt;
      next->second.is_behind = false;
      number = next->first;
      scope = next->second.scope;
      since = next->second.since;
    }
    const auto page = guarded("the feed", [&] { return read(scope, since); });
    const std::lock_guard lock(mutex_);
    const auto found = followers_.find(number);
    if (found == followers_.end()) continue;
    Follower& follower = found->second;
    if (!page.ok()) {
      follower.is_behind = true;
      log_warning("feed", page.error().message);
      return kAfterFailure;
    }
    follower.since = page->since;
    follower.is_behind = follower.is_behind || page->has_more;
    for (const Happening& event : page->events) guarded_or_logged("feed", [&] { follower.tell(event); });
  }
  return std::nullopt;
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

void Feed::forget(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  std::erase_if(contexts_, [&](const Woven& woven) { return woven.scope == scope; });
}

void Feed::close() {
  std::map<std::uint64_t, Follower> gone;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    gone.swap(followers_);
  }
  more_.notify_all();
}

}  // namespace weft
