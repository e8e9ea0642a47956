#include "engine/log_readers.h"

#include <algorithm>
#include <cstdlib>

#include "base/fault_point.h"
#include "base/log.h"
#include "base/threads.h"
#include "engine/workers.h"

namespace weft {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kScopes = 64, kEntries = 200;  // of one round, and of one scope in it
constexpr std::size_t kTrimmed = 1000;               // entries of one transaction, which writers wait for
// Readers write files that are flushed, so a burst of entries is read in one round.
constexpr milliseconds kPause{500};
constexpr int kTries = 5;  // of a reader whose document others write at the same time
constexpr milliseconds kFirstPause{250}, kLongestPause{60'000};  // after a failure
// Who works for one scope now and then looks at all: another program may have written to the store.
constexpr milliseconds kBetweenLooks{30'000};

// The first `count` entries of a part, and the rest.
std::pair<LogPart, LogPart> split(const LogPart& part, std::size_t count) {
  std::size_t messages = 0;
  for (const LogEntry& entry : part.entries.first(count))
    if (messages < part.messages.size() && message_number(entry) == part.messages[messages].seq) ++messages;
  return {{part.scope, part.entries.first(count), part.messages.first(messages)},
          {part.scope, part.entries.subspan(count), part.messages.subspan(messages)}};
}

}  // namespace

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

LogRunner::LogRunner(std::vector<LogReader*> readers, Store& store, ErasureGate& gate, ScopeFollower* follower, Now now)
    : readers_(std::move(readers)), store_(store), gate_(gate), follower_(follower), now_(now) {
  for (const LogReader* reader : readers_) names_.push_back(reader->name());
}

std::optional<milliseconds> LogRunner::work(std::stop_token stop) {
  const auto rest_until = rest_until_.load();
  if (const auto now = now_(); now < rest_until) return std::chrono::ceil<milliseconds>(rest_until - now);
  bool has_read = false, are_all_found = false;
  while (!are_all_found && !stop.stop_requested() && !is_paused({}, {})) {
    const auto found = scopes_to_read();
    note({}, {}, found.ok() ? Status() : Status(found.error()));
    if (!found.ok()) break;
    are_all_found = !found->has_more;
    for (std::set<ScopeKey> scopes = found->scopes; !scopes.empty() && !stop.stop_requested();)
      scopes = read_each(scopes, stop, has_read);
  }
  const auto again = next_try();
  if (!has_read) return again;
  rest_until_ = now_() + kPause;
  return again ? std::min(*again, kPause) : kPause;
}

// Gives the scopes that have more to read.
std::set<ScopeKey> LogRunner::read_each(const std::set<ScopeKey>& scopes, const std::stop_token& stop, bool& has_read) {
  std::set<ScopeKey> unread;
  for (const ScopeKey& scope : scopes) {
    if (stop.stop_requested()) break;
    if (is_paused(scope, {})) continue;
    const auto round = guarded("reading the log", [&] { return read_some(scope); });
    note(scope, {}, round.ok() ? Status() : Status(round.error()));
    if (!round.ok()) continue;
    has_read = has_read || round->has_read;
    if (round->has_more) unread.insert(scope);
  }
  return unread;
}

// Scopes to which was appended, those in which a pause is over, and now and then all that have unread entries.
Result<LogRunner::Found> LogRunner::scopes_to_read() {
  Found found;
  std::swap(found.scopes, *appended_.lock());
  std::size_t limit = kScopes;
  {
    auto failures = failures_.lock();
    limit += failures->size();
    for (const auto& [key, failure] : *failures)
      if (!key.first.empty() && now_() >= due(*failures, key)) found.scopes.insert(key.first);
  }
  const bool is_time = now_() >= looked_ + kBetweenLooks;
  if (!look_at_all_.exchange(false) && !is_time) return found;
  const auto behind = store_.log().scopes_behind(names_, limit);
  if (!behind.ok()) {
    look_at_all_ = true;
    appended_.lock()->merge(found.scopes);
    return behind.error();
  }
  looked_ = now_();
  found.has_more = behind->size() >= limit;
  look_at_all_ = look_at_all_ || found.has_more;
  found.scopes.insert(behind->begin(), behind->end());
  return found;
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
  WEFT_TRY(auto entries, store_.log().behind(scope, cursors[first], kEntries));
  const auto first_unread = [&](std::size_t i) {
    return std::partition_point(entries.begin(), entries.end(),
                                [&](const LogEntry& entry) { return entry.seq <= cursors[i]; });
  };
  // Messages are read of those entries only that a reader takes now.
  Round round{.has_more = entries.size() >= kEntries};
  std::size_t wanted = 0;
  for (const std::size_t i : ready) {
    const auto known = static_cast<std::size_t>(first_unread(i) - entries.begin());
    if (known < entries.size())
      wanted = std::max(wanted, known + readers_[i]->share(std::span(entries).subspan(known)));
  }
  round.has_more = round.has_more || wanted < entries.size();
  entries.resize(wanted);
  WEFT_TRY(const auto messages, kept_messages(store_, scope, entries));
  const LogPart part{scope, entries, messages};
  std::vector<CursorMove> passed;
  bool was_lost = false;
  for (const std::size_t i : ready) {
    const LogPart unread = split(part, static_cast<std::size_t>(first_unread(i) - entries.begin())).second;
    // An erasure may have taken away the entries that the reader failed at.
    if (unread.entries.empty()) {
      note(scope, names_[i], {});
      continue;
    }
    const auto is_won =
        guarded("the reader " + names_[i], [&] { return give(*readers_[i], unread, cursors[i], passed, round); });
    if (!is_won.ok()) {
      note(scope, names_[i], is_won.error());
      continue;
    }
    round.has_read = true;
    was_lost = was_lost || !*is_won;
  }
  if (!passed.empty()) was_lost = !pass(passed) || was_lost;
  // If another program reads the same entries, this one looks for the rest when it is next woken: not both do it all.
  if (was_lost) round.has_more = false;
  return round;
}

// False: another program was faster.
Result<bool> LogRunner::give(LogReader& reader, const LogPart& unread, std::int64_t cursor,
                             std::vector<CursorMove>& passed, Round& round) {
  const LogPart part = split(unread, reader.share(unread.entries)).first;
  round.has_more = round.has_more || part.entries.size() < unread.entries.size();
  const CursorMove move{reader.name(), part.scope, cursor, part.entries.back().seq};
  WriteBatch batch;
  Status written;
  for (int tries = 0; tries < kTries; ++tries) {
    WEFT_TRY(batch, reader.read(part));
    WEFT_CHECK(fault_point(FaultPoint::kReaderRead, reader.name()));
    if (batch.empty()) {
      passed.push_back(move);
      return true;
    }
    batch.cursors.push_back(move);
    batch.repeatable = batch.repeatable || batch.documents.empty();
    written = store_.write(batch);
    if (written.ok() || written.error().code != ErrorCode::kConflict) break;
    // A document that the reader changes was written by somebody else; or another program has read these entries.
    WEFT_TRY(const auto now, store_.log().cursors(part.scope, std::span(&reader.name(), 1)));
    if (now.front() != cursor) break;
  }
  if (was_faster(written)) return false;
  WEFT_CHECK(written);
  kill_point(FaultPoint::kReaderWritten, reader.name());
  note(part.scope, reader.name(), {});
  if (!batch.documents.empty()) reader.written(batch);
  return true;
}

// All together; if that fails, each by itself. False: another program was faster with one of them.
bool LogRunner::pass(std::span<const CursorMove> passed) {
  WriteBatch batch;
  batch.cursors.assign(passed.begin(), passed.end());
  batch.repeatable = true;
  Status written = fault_point(FaultPoint::kReadersPassed);
  if (written.ok()) written = store_.write(batch);
  if (!written.ok() && passed.size() > 1) {
    bool is_won = true;
    for (const CursorMove& move : passed) is_won = pass(std::span(&move, 1)) && is_won;
    return is_won;
  }
  const bool is_lost = was_faster(written);
  for (const CursorMove& move : passed) note(move.scope, move.reader, is_lost ? Status() : written);
  return !is_lost;
}

// Another program that shares the store has read these entries.
bool LogRunner::was_faster(const Status& written) const {
  return !written.ok() && written.error().code == ErrorCode::kConflict && store_.is_shared();
}

// A reader that failed in a scope also waits for the pause of the scope and for that of the store.
LogRunner::Moment LogRunner::due(const std::map<FailureKey, Failure>& failures, const FailureKey& key) {
  Moment moment{};
  for (const FailureKey& one : {key, FailureKey(key.first, {}), FailureKey()})
    if (const auto at = failures.find(one); at != failures.end()) moment = std::max(moment, at->second.until);
  return moment;
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
  if (at->second.what != done.error().message)
    log_warning(reader.empty() ? "log" : "log." + reader, done.error().message);
  at->second.what = done.error().message;
}

std::optional<milliseconds> LogRunner::next_try() {
  std::optional<milliseconds> rest;
  auto failures = failures_.lock();
  for (const auto& [key, failure] : *failures) {
    const auto left = std::chrono::ceil<milliseconds>(due(*failures, key) - now_());
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
