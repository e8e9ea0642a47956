#include "engine/log_readers.h"

#include <algorithm>
#include <cstdlib>

#include "base/guarded.h"
#include "base/log.h"
#include "engine/scope_follower.h"

namespace weft {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kScopes = 64, kEntries = 200;  // of one round, and of one scope in it
constexpr std::size_t kTrimmed = 1000;               // entries of one transaction, which writers wait for
// Readers write files that are flushed: what comes in a burst is read at once.
constexpr milliseconds kPause{500};
constexpr milliseconds kFirstPause{250}, kLongestPause{60'000};  // after a failure
// Who works for one scope now and then looks at all: another program may have written to the store.
constexpr milliseconds kBetweenLooks{30'000};

std::int64_t message_number(const LogEntry& entry) {
  return entry.kind == LogKind::kMessage ? std::atoll(entry.body.c_str()) : 0;
}

Result<std::vector<MessageRow>> kept_messages(Store& store, const ScopeKey& scope, std::span<const LogEntry> entries) {
  std::vector<std::int64_t> numbers;
  for (const LogEntry& entry : entries)
    if (entry.kind == LogKind::kMessage) numbers.push_back(message_number(entry));
  if (numbers.empty()) return std::vector<MessageRow>();
  return store.messages().numbered(scope, numbers);
}

// The first `count` entries of a part, and the rest.
std::pair<LogPart, LogPart> split(const LogPart& part, std::size_t count) {
  std::size_t messages = 0;
  for (const LogEntry& entry : part.entries.first(count))
    if (messages < part.messages.size() && message_number(entry) == part.messages[messages].seq) ++messages;
  return {{part.scope, part.entries.first(count), part.messages.first(messages)},
          {part.scope, part.entries.subspan(count), part.messages.subspan(messages)}};
}

}  // namespace

LogRunner::LogRunner(std::vector<LogReader*> readers, Store& store, ErasureGate& gate, ScopeFollower* follower, Now now)
    : readers_(std::move(readers)), store_(store), gate_(gate), follower_(follower), now_(now) {
  for (const LogReader* reader : readers_) names_.push_back(reader->name());
}

std::optional<milliseconds> LogRunner::work(std::stop_token stop) {
  const auto rest_until = rest_until_.load();
  if (const auto now = now_(); now < rest_until) return std::chrono::ceil<milliseconds>(rest_until - now);
  bool has_read = false;
  while (!stop.stop_requested()) {
    const auto scopes = scopes_to_read();
    note({}, {}, scopes.ok() ? Status() : Status(scopes.error()));
    if (!scopes.ok() || scopes->empty()) break;
    for (const ScopeKey& scope : *scopes) {
      if (stop.stop_requested()) break;
      if (is_paused(scope, {})) continue;
      const auto round = guarded("reading the log", [&] { return read_some(scope); });
      note(scope, {}, round.ok() ? Status() : Status(round.error()));
      if (!round.ok()) continue;
      has_read = has_read || round->has_read;
      if (round->has_more) appended_.lock()->insert(scope);
    }
  }
  const auto again = next_try();
  if (!has_read) return again;
  rest_until_ = now_() + kPause;
  return again ? std::min(*again, kPause) : kPause;
}

// Scopes to which was appended, those in which a pause is over, and now and then all that have unread entries.
Result<std::set<ScopeKey>> LogRunner::scopes_to_read() {
  std::set<ScopeKey> scopes;
  std::swap(scopes, *appended_.lock());
  std::size_t limit = kScopes;
  {
    auto failures = failures_.lock();
    limit += failures->size();
    for (const auto& [key, failure] : *failures)
      if (!key.first.empty() && now_() >= failure.until) scopes.insert(key.first);
  }
  const bool is_time = now_() >= looked_ + kBetweenLooks;
  if (!look_at_all_.exchange(false) && !is_time) return scopes;
  const auto behind = store_.log().scopes_behind(names_, limit);
  if (!behind.ok()) {
    look_at_all_ = true;
    appended_.lock()->merge(scopes);
    return behind.error();
  }
  looked_ = now_();
  if (behind->size() >= limit) look_at_all_ = true;
  scopes.insert(behind->begin(), behind->end());
  return scopes;
}

// Inside the gate: an erasure may have taken entries away since the scope was found.
Result<LogRunner::Round> LogRunner::read_some(const ScopeKey& scope) {
  const auto pass_of_gate = gate_.work(scope);
  if (follower_ != nullptr) WEFT_CHECK(follower_->follow(scope));
  WEFT_TRY(const auto cursors, store_.log().cursors(scope, names_));
  std::vector<std::size_t> ready;  // readers
  for (std::size_t i = 0; i < readers_.size(); ++i)
    if (!is_paused(scope, names_[i])) ready.push_back(i);
  if (ready.empty()) return Round();
  const auto first =
      *std::min_element(ready.begin(), ready.end(), [&](auto a, auto b) { return cursors[a] < cursors[b]; });
  WEFT_TRY(const auto entries, store_.log().behind(scope, cursors[first], kEntries));
  WEFT_TRY(const auto messages, kept_messages(store_, scope, entries));
  const LogPart part{scope, entries, messages};
  Round round{.has_more = entries.size() >= kEntries};
  std::vector<CursorMove> passed;
  for (const std::size_t i : ready) {
    const auto known = std::partition_point(entries.begin(), entries.end(),
                                            [&](const LogEntry& entry) { return entry.seq <= cursors[i]; });
    const LogPart unread = split(part, static_cast<std::size_t>(known - entries.begin())).second;
    // An erasure may have taken away the entries that the reader failed at.
    if (unread.entries.empty()) {
      note(scope, names_[i], {});
      continue;
    }
    const auto has_more =
        guarded("the reader " + names_[i], [&] { return give(*readers_[i], unread, cursors[i], passed); });
    if (!has_more.ok()) {
      note(scope, names_[i], has_more.error());
      continue;
    }
    round.has_read = true;
    round.has_more = round.has_more || *has_more;
  }
  if (!passed.empty()) pass(passed);
  return round;
}

// Gives whether the reader left some entries.
Result<bool> LogRunner::give(LogReader& reader, const LogPart& unread, std::int64_t cursor,
                             std::vector<CursorMove>& passed) {
  const LogPart part = split(unread, reader.share(unread.entries)).first;
  const bool has_more = part.entries.size() < unread.entries.size();
  WEFT_TRY(WriteBatch batch, reader.read(part));
  const CursorMove move{reader.name(), part.scope, cursor, part.entries.back().seq};
  if (batch.empty()) {
    passed.push_back(move);
    return has_more;
  }
  batch.cursors.push_back(move);
  batch.repeatable = batch.documents.empty();  // those are shown in files
  const Status written = store_.write(batch);
  if (was_faster(written)) return false;
  WEFT_CHECK(written);
  note(part.scope, reader.name(), {});
  if (!batch.documents.empty()) reader.written(batch);
  return has_more;
}

// All together. If one cannot move, each by itself.
void LogRunner::pass(std::span<const CursorMove> passed) {
  WriteBatch batch;
  batch.cursors.assign(passed.begin(), passed.end());
  batch.repeatable = true;
  Status written = store_.write(batch);
  if (!written.ok() && passed.size() > 1) {
    for (const CursorMove& move : passed) pass(std::span(&move, 1));
    return;
  }
  if (was_faster(written)) written = {};
  for (const CursorMove& move : passed) note(move.scope, move.reader, written);
}

// Another program that shares the store has read these entries. The thread looks for the rest when it is next woken.
bool LogRunner::was_faster(const Status& written) const {
  return !written.ok() && written.error().code == ErrorCode::kConflict && store_.is_shared();
}

bool LogRunner::is_paused(const ScopeKey& scope, const std::string& reader) {
  auto failures = failures_.lock();
  const auto at = failures->find({scope, reader});
  return at != failures->end() && now_() < at->second.until;
}

void LogRunner::note(const ScopeKey& scope, const std::string& reader, const Status& done) {
  auto failures = failures_.lock();
  if (done.ok()) {
    failures->erase({scope, reader});
    return;
  }
  const auto [at, is_new] = failures->try_emplace({scope, reader}, Failure{kFirstPause, {}, {}});
  if (!is_new) at->second.pause = std::min(2 * at->second.pause, kLongestPause);
  at->second.until = now_() + at->second.pause;
  if (at->second.what != done.error().message) log_warning("log." + reader, done.error().message);
  at->second.what = done.error().message;
}

std::optional<milliseconds> LogRunner::next_try() {
  std::optional<milliseconds> rest;
  auto failures = failures_.lock();
  for (const auto& [key, failure] : *failures) {
    const auto left = std::chrono::ceil<milliseconds>(failure.until - now_());
    rest = std::max(milliseconds(0), rest ? std::min(*rest, left) : left);
  }
  return rest;
}

std::vector<ReaderStatus> LogRunner::status(std::int64_t now_ms) {
  std::vector<ReaderStatus> all;
  for (const std::string& name : names_) {
    ReaderStatus status;
    status.name = name;
    const ReaderLag lag = store_.log().lag(name).value_or({});
    status.entries = lag.entries;
    if (lag.since_ms)
      status.seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_ms - *lag.since_ms)) / 1000;
    all.push_back(std::move(status));
  }
  auto failures = failures_.lock();
  for (const auto& [key, failure] : *failures)
    for (ReaderStatus& status : all)
      if (status.failure.empty() && (key.second.empty() || key.second == status.name)) status.failure = failure.what;
  return all;
}

void LogRunner::wake(const ScopeKey& scope) {
  appended_.lock()->insert(scope);
  if (now_() >= rest_until_.load()) waker_.wake();
}

void LogRunner::wake() {
  look_at_all_ = true;
  if (now_() >= rest_until_.load()) waker_.wake();
}

Status LogReaders::open(std::span<LogReader* const> readers, ScopeFollower& follower) {
  std::vector<std::vector<LogReader*>> threads(1);
  for (LogReader* reader : readers) {
    names_.push_back(reader->name());
    WEFT_CHECK(store_.log().open_reader(reader->name()));
    if (reader->waits_for_models())
      threads.push_back({reader});
    else
      threads.front().push_back(reader);
  }
  for (auto& together : threads)
    if (!together.empty())
      runners_.push_back(std::make_unique<LogRunner>(std::move(together), store_, gate_, &follower));
  return {};
}

void LogReaders::start() {
  for (const auto& runner : runners_) runner->thread().start();
}

void LogReaders::stop() {
  for (const auto& runner : runners_) runner->thread().stop();
}

void LogReaders::appended(const WriteBatch& batch) {
  std::set<ScopeKey> scopes;
  for (const MessageRow& row : batch.messages) scopes.insert(row.scope);
  for (const LogEntry& entry : batch.log) scopes.insert(entry.scope);
  for (const auto& runner : runners_)
    for (const ScopeKey& scope : scopes) runner->wake(scope);
}

void LogReaders::wake() {
  for (const auto& runner : runners_) runner->wake();
}

std::vector<ReaderStatus> LogReaders::status(std::int64_t now_ms) {
  std::vector<ReaderStatus> all;
  for (const auto& runner : runners_)
    for (ReaderStatus& status : runner->status(now_ms)) all.push_back(std::move(status));
  return all;
}

Status LogReaders::trim(std::int64_t keep) {
  for (;;) {
    WEFT_TRY(const std::size_t gone, store_.log().trim(names_, keep, kTrimmed));
    if (gone < kTrimmed) return {};
  }
}

}  // namespace weft
