#include "engine/watch.h"

#include <algorithm>
#include <limits>

#include "base/log.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "engine/log_readers.h"
#include "flow/historian/historian_jobs.h"
#include "flow/stream/observe.h"
#include "model/records.h"
#include "ports/files/document_files.h"
#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMostContexts = 200;
constexpr std::size_t kEntries = 20;           // read at a time: each may be a large message
constexpr std::size_t kPageBytes = 64 * 1024;  // of payloads; a page has at least one event
constexpr std::chrono::milliseconds kFirstPause{250}, kLongestPause{60'000};  // after a failure

// A list shows this of a prompt; the whole report is read by its session.
std::string context_summary(const PastContext& context) {
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
  return to_json(Flushed{row.id, row.reason, topic_job(row, 0).id, static_cast<std::size_t>(row.blocks), row.tokens});
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
    guarded_or_logged("feed", [&, &tell = follower.tell] {
      if (!event) event = Happening{0, time, kind, about, payload()};
      tell(*event);
    });
  }
}

void Feed::add(const ScopeKey& scope, PastContext context) {
  const std::string session = context.session.str();
  const Time time = context.time;
  std::string summary;
  {
    const std::lock_guard lock(mutex_);
    context.id = ++last_context_;
    summary = context_summary(context);
    contexts_.push_back({scope, std::move(context)});
    if (contexts_.size() > kMostContexts) contexts_.pop_front();
  }
  send(scope, time, HappeningKind::kContext, session, [&] { return summary; });
}

// A message, turn or topic that was erased since gives no event.
Result<std::vector<Happening>> Feed::events_of(const ScopeKey& scope, const std::vector<LogEntry>& entries) {
  WEFT_TRY(const auto rows, kept_messages(store_, scope, entries));
  std::map<std::int64_t, std::string> messages;  // by number
  for (const MessageRow& row : rows) messages[row.seq] = json_of(row);
  const int offset_minutes = clock_.now().offset_minutes;
  std::vector<Happening> events;
  for (const LogEntry& entry : entries) {
    Happening event{static_cast<std::uint64_t>(entry.seq),
                    Time{entry.time_ms, offset_minutes},
                    HappeningKind::kMessage,
                    entry.session.str(),
                    {}};
    switch (entry.kind) {
      case LogKind::kMessage:
        if (const auto found = messages.find(message_number(entry)); found != messages.end())
          event.payload = found->second;
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
        event.kind = HappeningKind::kEnded;
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
        const DocumentKey changed = changed_document(entry);
        event.payload = object_of({{"kind", changed.kind}, {"id", changed.id}});
        break;
      }
    }
    if (!event.payload.empty()) events.push_back(std::move(event));
  }
  return events;
}

// If entries behind `since` are not kept any more, gives an event without a payload that has the number of the last
// one. A gap behind entries that are still there was made by an erasure and needs no event. At the beginning of the log
// it cannot be told apart.
Result<std::optional<Happening>> Feed::dropped(const ScopeKey& scope, std::uint64_t since, std::uint64_t newest,
                                               const std::vector<LogEntry>& entries) {
  std::optional<Happening> event;
  const std::uint64_t next = entries.empty() ? newest + 1 : static_cast<std::uint64_t>(entries.front().seq);
  if (next == since + 1) return event;
  WEFT_TRY(const auto first, store_.log().behind(scope, 0, 1));
  if (!first.empty() && static_cast<std::uint64_t>(first.front().seq) <= since) return event;
  event = Happening{next - 1, clock_.now(), HappeningKind::kMessage, {}, {}};
  return event;
}

// No log of the scope has a number above the newest one, unless the log was erased whole: then the next one begins
// behind all numbers. A larger number is of a former version, or was lost in a power cut.
Result<Feed::Page> Feed::read(const ScopeKey& scope, std::uint64_t since) {
  WEFT_TRY(const std::uint64_t newest, this->newest(scope));
  if (newest == since || newest == 0) return Page{{}, since, false};
  if (since > newest) return Page{{{newest, clock_.now(), HappeningKind::kMessage, {}, {}}}, newest, false};
  WEFT_TRY(const auto entries, store_.log().behind(scope, static_cast<std::int64_t>(since), kEntries));
  Page page{{}, entries.empty() ? newest : static_cast<std::uint64_t>(entries.back().seq), entries.size() >= kEntries};
  WEFT_TRY(page.events, events_of(scope, entries));
  std::size_t bytes = 0, count = 0;
  while (count < page.events.size() && (count == 0 || bytes < kPageBytes)) bytes += page.events[count++].payload.size();
  if (count < page.events.size()) {
    page.events.resize(count);
    page.since = page.events.back().id;
    page.has_more = true;
  }
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

// Followers are served in turns, so that one with much to read holds up no other. `behind` is the one that was served
// last. If none can be served, `rest` is the time until one that failed is tried again.
std::optional<Feed::Wanted> Feed::next_wanted(std::uint64_t behind, std::optional<std::chrono::milliseconds>& rest) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  const auto is_ready = [&](const auto& one) { return one.second.is_behind && one.second.retry_at <= now; };
  auto next = std::find_if(followers_.upper_bound(behind), followers_.end(), is_ready);
  if (next == followers_.end()) next = std::find_if(followers_.begin(), followers_.end(), is_ready);
  if (next == followers_.end()) {
    for (const auto& [number, follower] : followers_) {
      if (!follower.is_behind) continue;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(follower.retry_at - now);
      rest = rest ? std::min(*rest, left) : left;
    }
    return std::nullopt;
  }
  Wanted wanted{next->second.scope, next->second.since, {}};
  for (auto& [number, follower] : followers_) {
    if (!follower.is_behind || follower.scope != wanted.scope || follower.since != wanted.since) continue;
    follower.is_behind = false;
    wanted.followers[number] = follower.forgotten;
  }
  return wanted;
}

// If something of the scope was erased since the page was read, the page is read again.
void Feed::give(const Wanted& wanted, const Page& page) {
  for (const auto& [number, forgotten] : wanted.followers) {
    std::uint64_t since = page.since;
    bool has_more = page.has_more;
    for (std::size_t i = 0; i <= page.events.size(); ++i) {
      const std::lock_guard lock(mutex_);
      const auto found = followers_.find(number);
      if (found == followers_.end()) break;
      Follower& follower = found->second;
      if (follower.forgotten != forgotten) {
        has_more = true;
        since = i == 0 ? wanted.since : page.events[i - 1].id;
      }
      if (i == page.events.size() || follower.forgotten != forgotten) {
        follower.since = since;
        follower.is_behind = follower.is_behind || has_more;
        follower.pause = {};
        break;
      }
      guarded_or_logged("feed", [&] { follower.tell(page.events[i]); });
    }
  }
}

void Feed::pause(const Wanted& wanted, const std::string& failure) {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, forgotten] : wanted.followers) {
    const auto found = followers_.find(number);
    if (found == followers_.end()) continue;
    Follower& follower = found->second;
    if (follower.pause.count() == 0) log_warning("feed", failure);
    follower.pause = std::clamp(2 * follower.pause, kFirstPause, kLongestPause);
    follower.retry_at = std::chrono::steady_clock::now() + follower.pause;
    follower.is_behind = true;
  }
}

// The rows are read without the lock.
std::optional<std::chrono::milliseconds> Feed::work(std::stop_token stop) {
  std::optional<std::chrono::milliseconds> rest;
  for (std::uint64_t served = 0; !stop.stop_requested();) {
    const auto wanted = next_wanted(served, rest);
    if (!wanted) return rest;
    served = wanted->followers.begin()->first;
    const auto page = guarded("the feed", [&] { return read(wanted->scope, wanted->since); });
    if (page.ok())
      give(*wanted, *page);
    else
      pause(*wanted, page.error().message);
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
  for (auto& [number, follower] : followers_)
    if (follower.scope == scope) ++follower.forgotten;
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

namespace {

constexpr std::size_t kPreview = 120;  // characters of a text in a list

WatchedTopic shown(const TopicRow& row) {
  WatchedTopic topic;
  topic.topic = row.id;
  topic.open = row.status == TopicStatus::kOpen;
  if (!topic.open) topic.reason = row.reason;
  topic.turns = static_cast<std::size_t>(row.blocks);
  topic.tokens = row.tokens;
  topic.started = row.started;
  topic.newest = row.last;
  topic.lead = row.lead;
  topic.written = row.done;
  return topic;
}

WatchedTurn shown(const BlockRow& row) {
  WatchedTurn turn;
  turn.block = row.id;
  turn.topic = row.topic;
  turn.status = row.status;
  turn.first = row.first_seq;
  turn.last = row.last_seq;
  turn.tokens = row.tokens;
  turn.started = row.started;
  turn.ended = row.last;
  return turn;
}

}  // namespace

Result<std::string> Watcher::beginning_of(const ScopeKey& scope, const SessionId& session, std::int64_t sequence) {
  WEFT_TRY(const auto rows, core_.store->messages().range(scope, session, sequence, sequence));
  return rows.empty() ? std::string() : preview(rows.front().message.content, kPreview);
}

Result<SessionSummary> Watcher::summary_of(const SessionRow& row) {
  SessionSummary out;
  out.session = row.session;
  out.open = !row.open_block.empty();
  WEFT_TRY(const SessionSums sums, core_.store->streams().session_sums(row.scope, row.session));
  out.turns = static_cast<std::size_t>(sums.turns);
  out.topics = static_cast<std::size_t>(sums.topics);
  out.tokens = sums.tokens;
  if (sums.turns > 0) {
    WEFT_TRY(const auto first, core_.store->streams().blocks_before(row.scope, row.session, sums.first_seq + 1, 1));
    if (!first.empty()) out.started = first.front().started;
    WEFT_TRY(out.title, beginning_of(row.scope, row.session, sums.first_seq));
  }
  WEFT_TRY(const auto newest, core_.store->messages().recent(row.scope, row.session, 1));
  if (newest.empty()) return out;
  out.newest = newest.front().message.time.value_or(out.started);
  out.last = preview(newest.front().message.content, kPreview);
  return out;
}

// Each with the newest message that it had when this was the newest of all (0: now), so that what is said while a list
// is walked through takes no conversation from one of its pages to another. Those that are newer are left out.
Result<std::vector<SessionRow>> Watcher::sessions_as_of(const ScopeKey& scope, std::int64_t number) {
  WEFT_TRY(const auto ids, core_.store->streams().scope_sessions(scope));
  std::vector<SessionRow> rows;
  for (const SessionId& id : ids) {
    WEFT_TRY(auto row, core_.store->streams().session(scope, id));
    if (!row) continue;
    if (number > 0 && row->head > number) {
      WEFT_TRY(row->head, core_.store->messages().newest_number(scope, id, number));
      if (row->head == 0) continue;
    }
    rows.push_back(std::move(*row));
  }
  std::sort(rows.begin(), rows.end(), [](const SessionRow& a, const SessionRow& b) {
    return a.head != b.head ? a.head > b.head : a.session < b.session;
  });
  return rows;
}

Result<SessionsPage> Watcher::sessions(const RequestContext& request, const SessionsPlace& from, std::size_t limit) {
  WEFT_TRY(auto rows, sessions_as_of(request.scope.key(), from.as_of));
  const std::int64_t as_of = from.as_of > 0 || rows.empty() ? from.as_of : rows.front().head;
  if (!from.last.empty())
    std::erase_if(rows, [&](const SessionRow& row) {
      return row.head > from.before || (row.head == from.before && !(from.last < row.session));
    });
  SessionsPage page;
  if (rows.size() > limit) {
    rows.resize(limit);
    page.next = SessionsPlace{as_of, rows.back().head, rows.back().session};
  }
  for (const SessionRow& row : rows) {
    WEFT_TRY(auto summary, summary_of(row));
    page.sessions.push_back(std::move(summary));
  }
  return page;
}

Result<WatchedTurns> Watcher::turns(const RequestContext& request, const SessionId& session, std::size_t limit,
                                    std::int64_t before) {
  const ScopeKey scope = request.scope.key();
  WEFT_TRY(const auto row, core_.store->streams().session(scope, session));
  if (!row) return not_found("there is no session \"" + session.str() + "\"", "GET /v1/sessions lists them");
  const std::int64_t end = before > 0 ? before : std::numeric_limits<std::int64_t>::max();
  WEFT_TRY(const auto blocks, core_.store->streams().blocks_before(scope, session, end, limit));
  WatchedTurns out{session, {}, {}};
  for (const BlockRow& block : blocks) {
    WatchedTurn turn = shown(block);
    WEFT_TRY(turn.asked, beginning_of(scope, session, block.first_seq));
    WEFT_TRY(auto decision, core_.store->documents().newest(scope, decision_kind(session), block.id.str()));
    if (decision) turn.decision = std::move(decision->body);
    out.turns.push_back(std::move(turn));
    const bool is_new = !block.topic.empty() && (out.topics.empty() || out.topics.back().topic != block.topic);
    if (!is_new) continue;
    WEFT_TRY(const auto topic, core_.store->streams().topic(scope, session, block.topic));
    if (topic) out.topics.push_back(shown(*topic));
  }
  return out;
}

Result<std::vector<PastContext>> Watcher::contexts(const RequestContext& request, const SessionId& session,
                                                   std::size_t limit, std::uint64_t before) {
  return core_.feed->contexts(request.scope.key(), session, limit, before);
}

Result<std::vector<Happening>> Watcher::happenings(const RequestContext& request, std::uint64_t since,
                                                   std::chrono::milliseconds wait, std::stop_token stop) {
  return core_.feed->after(request.scope.key(), since, wait, stop);
}

std::uint64_t Watcher::follow(const RequestContext& request, std::uint64_t since,
                              std::function<void(const Happening&)> tell) {
  return core_.feed->follow(request.scope.key(), since, std::move(tell));
}

void Watcher::unfollow(std::uint64_t number) { core_.feed->unfollow(number); }

Result<std::uint64_t> Watcher::newest_happening(const RequestContext& request) {
  return core_.feed->newest(request.scope.key());
}

Result<std::vector<ScopeKey>> Watcher::scopes() {
  WEFT_TRY(auto all, core_.store->streams().scopes());
  std::sort(all.begin(), all.end());
  return all;
}

void Watcher::end_watching() { core_.feed->close(); }

}  // namespace weft
