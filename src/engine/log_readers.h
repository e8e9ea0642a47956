#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/sync.h"
#include "engine/background.h"
#include "engine/erasure_gate.h"
#include "ports/store/store.h"
#include "weft/status.h"

namespace weft {

/// Background work that follows the log: entries of one scope come in, in their order, and the effect goes out as a
/// batch, which the runner writes together with the reader's cursor. A crash repeats entries. An effect outside of the
/// store, such as a file, must therefore change nothing when it is made a second time. `read` is called by one thread.
class LogReader {
 public:
  virtual ~LogReader() = default;
  /// The name under which the store keeps the cursors.
  virtual const std::string& name() const = 0;
  virtual Result<WriteBatch> read(const ScopeKey& scope, std::span<const LogEntry> entries) = 0;
  /// How many of these entries, from the first on, one call of `read` takes; at least one. A reader takes fewer if an
  /// entry may last long: erasures and the end of the program wait for `read` to return.
  virtual std::size_t share(std::span<const LogEntry> entries) const { return entries.size(); }
  /// Called after the batch was written, if it has documents: some are shown in files.
  virtual void written(const WriteBatch&) {}
};

/// The messages that these entries of a scope say were kept, without those that were erased since.
Result<std::vector<MessageRow>> kept_messages(Store& store, const ScopeKey& scope, std::span<const LogEntry> entries);

class LogReaders;
class ScopeFollower;

/// Runs one reader on a thread of its own. Each round gives every scope with unread entries a bounded batch, so that a
/// scope with many does not hold up the others. A scope in which the reader fails is tried again alone, after a pause
/// that doubles up to a minute.
class LogRunner {
 public:
  using Now = std::chrono::steady_clock::time_point (*)();

  /// `all` is woken when the reader itself appends to the log; `follower`, unless null, is asked before a scope is
  /// read.
  LogRunner(LogReader& reader, Store& store, ErasureGate& gate, LogReaders* all = nullptr,
            Now now = std::chrono::steady_clock::now, ScopeFollower* follower = nullptr)
      : reader_(reader), store_(store), gate_(gate), all_(all), now_(now), follower_(follower) {}

  /// Reads all there is to read. Gives when to read again if nobody wakes the thread.
  std::optional<std::chrono::milliseconds> work(std::stop_token stop);
  /// How far the reader is behind at `now_ms`, the time of the log's entries.
  ReaderStatus status(std::int64_t now_ms);

  /// Something was appended. While the reader rests it sees that by itself.
  void wake() {
    if (now_() >= rest_until_.load()) waker_.wake();
  }

  const std::string& name() const { return reader_.name(); }
  Background& thread() { return thread_; }

 private:
  struct Failure {
    std::chrono::milliseconds pause;
    std::chrono::steady_clock::time_point until;
    std::string what;
  };

  Result<bool> read_some(const ScopeBehind& at);
  bool is_paused(const ScopeKey& scope);
  void note(const ScopeKey& scope, const Status& done);
  std::optional<std::chrono::milliseconds> next_try();

  LogReader& reader_;
  Store& store_;
  ErasureGate& gate_;
  LogReaders* all_;
  const Now now_;
  ScopeFollower* const follower_;
  std::atomic<std::chrono::steady_clock::time_point> rest_until_;
  Sync<std::map<ScopeKey, Failure>> failures_;  ///< by scope; the empty scope: the store itself failed
  Waker waker_;
  Background thread_{"read_log", waker_,
                     [this](std::stop_token stop) { return work(stop); }};  // last: it uses the above
};

/// All readers of an engine.
class LogReaders {
 public:
  LogReaders(Store& store, ErasureGate& gate) : store_(store), gate_(gate) {}

  /// To be called before anything is written: see `LogRows::open_reader`.
  Status open(std::span<LogReader* const> readers, ScopeFollower& follower);
  void start();
  void stop();
  /// To be called after each write that appends to the log.
  void wake();

  std::vector<ReaderStatus> status(std::int64_t now_ms);
  /// Removes entries that all readers have read, but for the newest `keep` of each scope.
  Status trim(std::int64_t keep);

 private:
  Store& store_;
  ErasureGate& gate_;
  std::vector<std::unique_ptr<LogRunner>> runners_;
};

}  // namespace weft
