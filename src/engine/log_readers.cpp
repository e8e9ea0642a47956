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

}  // namespace

Result<std::vector<MessageRow>> kept_messages(Store& store, const ScopeKey& scope, std::span<const LogEntry> entries) {
  std::vector<std::int64_t> numbers;
  for (const LogEntry& entry : entries)
    if (entry.kind == LogKind::kMessage) numbers.push_back(std::atoll(entry.body.c_str()));
  return store.messages().numbered(scope, numbers);
}

std::optional<milliseconds> LogRunner::work(std::stop_token stop) {
  const auto rest_until = rest_until_.load();
  if (const auto now = now_(); now < rest_until) return std::chrono::ceil<milliseconds>(rest_until - now);
  bool has_read = false;
  for (bool more = true; more && !stop.stop_requested();) {
    more = false;
    const std::size_t limit = kScopes + failures_.lock()->size();
    const auto behind = store_.log().scopes_behind(name(), limit);
    note({}, behind.ok() ? Status() : Status(behind.error()));
    if (!behind.ok()) break;
    // An erasure may have taken away the entries that the reader failed at.
    if (behind->size() < limit)
      std::erase_if(*failures_.lock(), [&](const auto& failure) {
        return std::none_of(behind->begin(), behind->end(), [&](const auto& at) { return at.scope == failure.first; });
      });
    bool has_read_now = false;
    for (const ScopeBehind& at : *behind) {
      if (stop.stop_requested()) break;
      if (is_paused(at.scope)) continue;
      const auto read = guarded("the reader " + name(), [&] { return read_some(at); });
      note(at.scope, read.ok() ? Status() : Status(read.error()));
      if (!read.ok()) continue;
      has_read_now = true;
      more = more || *read;
    }
    has_read = has_read || has_read_now;
    more = more || (has_read_now && behind->size() >= limit);
  }
  const auto again = next_try();
  if (!has_read) return again;
  rest_until_ = now_() + kPause;
  return again ? std::min(*again, kPause) : kPause;
}

// Entries are read inside the gate: an erasure may have taken some away since the scope was found.
Result<bool> LogRunner::read_some(const ScopeBehind& at) {
  const auto pass = gate_.work(at.scope);
  if (follower_ != nullptr) WEFT_CHECK(follower_->follow(at.scope));
  WEFT_TRY(const auto entries, store_.log().behind(at.scope, at.cursor, kEntries));
  if (entries.empty()) return false;
  const auto taken = std::span(entries).first(reader_.share(entries));
  WEFT_TRY(WriteBatch batch, reader_.read(at.scope, taken));
  batch.cursors.push_back({name(), at.scope, at.cursor, taken.back().seq});
  batch.repeatable = batch.documents.empty();  // those are shown in files
  const Status written = store_.write(batch);
  // Another program that shares the store was faster. The thread looks for the rest when it is next woken.
  if (!written.ok() && written.error().code == ErrorCode::kConflict && store_.is_shared()) return false;
  WEFT_CHECK(written);
  if (!batch.documents.empty()) reader_.written(batch);
  if (all_ != nullptr && !batch.log.empty()) all_->wake();
  return taken.size() < entries.size() || entries.size() >= kEntries;
}

bool LogRunner::is_paused(const ScopeKey& scope) {
  auto failures = failures_.lock();
  const auto at = failures->find(scope);
  return at != failures->end() && now_() < at->second.until;
}

void LogRunner::note(const ScopeKey& scope, const Status& done) {
  auto failures = failures_.lock();
  if (done.ok()) {
    failures->erase(scope);
    return;
  }
  const auto [at, is_new] = failures->try_emplace(scope, Failure{kFirstPause, {}, {}});
  if (!is_new) at->second.pause = std::min(2 * at->second.pause, kLongestPause);
  at->second.until = now_() + at->second.pause;
  if (at->second.what != done.error().message) log_warning("log." + name(), done.error().message);
  at->second.what = done.error().message;
}

std::optional<milliseconds> LogRunner::next_try() {
  std::optional<milliseconds> rest;
  auto failures = failures_.lock();
  for (const auto& [scope, failure] : *failures) {
    const auto left = std::chrono::ceil<milliseconds>(failure.until - now_());
    rest = std::max(milliseconds(0), rest ? std::min(*rest, left) : left);
  }
  return rest;
}

ReaderStatus LogRunner::status(std::int64_t now_ms) {
  ReaderStatus status;
  status.name = name();
  const ReaderLag lag = store_.log().lag(name()).value_or({});
  status.entries = lag.entries;
  if (lag.since_ms)
    status.seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_ms - *lag.since_ms)) / 1000;
  auto failures = failures_.lock();
  if (!failures->empty()) status.failure = failures->begin()->second.what;
  return status;
}

Status LogReaders::open(std::span<LogReader* const> readers, ScopeFollower& follower) {
  for (LogReader* reader : readers) {
    runners_.push_back(
        std::make_unique<LogRunner>(*reader, store_, gate_, this, std::chrono::steady_clock::now, &follower));
    WEFT_CHECK(store_.log().open_reader(reader->name()));
  }
  return {};
}

void LogReaders::start() {
  for (const auto& runner : runners_) runner->thread().start();
}

void LogReaders::stop() {
  for (const auto& runner : runners_) runner->thread().stop();
}

void LogReaders::wake() {
  for (const auto& runner : runners_) runner->wake();
}

std::vector<ReaderStatus> LogReaders::status(std::int64_t now_ms) {
  std::vector<ReaderStatus> all;
  for (const auto& runner : runners_) all.push_back(runner->status(now_ms));
  return all;
}

Status LogReaders::trim(std::int64_t keep) {
  std::vector<std::string> names;
  for (const auto& runner : runners_) names.push_back(runner->name());
  for (;;) {
    WEFT_TRY(const std::size_t gone, store_.log().trim(names, keep, kTrimmed));
    if (gone < kTrimmed) return {};
  }
}

}  // namespace weft
