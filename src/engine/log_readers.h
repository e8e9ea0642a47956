#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "engine/background.h"
#include "engine/erasure_gate.h"
#include "ports/store/store.h"
#include "weft/status.h"

namespace weft {

/// A part of a scope's log.
struct LogPart {
  ScopeKey scope;
  std::span<const LogEntry> entries;     ///< at least one, in their order
  std::span<const MessageRow> messages;  ///< that the entries say were kept, without those that were erased since
};

/// The number of the message that an entry says was kept; 0 for entries of other kinds.
std::int64_t message_number(const LogEntry& entry);
/// The messages that these entries of a scope say were kept, in their order, without those that were erased since.
Result<std::vector<MessageRow>> kept_messages(Store& store, const ScopeKey& scope, std::span<const LogEntry> entries);

/// Background work that follows the log: entries of one scope come in, in their order, and the effect goes out as a
/// batch, which the runner writes together with the reader's cursor. A crash repeats entries, and so does a conflict.
/// An effect outside of the store, such as a file, must therefore change nothing when it is made a second time. `read`
/// is called by one thread.
class LogReader {
 public:
  virtual ~LogReader() = default;
  /// The name under which the store keeps the cursors.
  virtual const std::string& name() const = 0;
  /// A batch with documents is flushed, since some are shown in files, unless the reader says `repeatable`.
  virtual Result<WriteBatch> read(const LogPart& part) = 0;
  /// How many of these entries, from the first on, one call of `read` takes; at least one. A reader takes fewer if an
  /// entry may last long: erasures and the end of the program wait for `read` to return.
  virtual std::size_t share(std::span<const LogEntry> entries) const { return entries.size(); }
  /// Whether `read` may wait for a model. Such a reader has a thread of its own; the others share one.
  virtual bool waits_for_models() const { return false; }
  /// Called after the batch was written, if it has documents: some are shown in files.
  virtual void written(const WriteBatch&) {}
};

class ScopeFollower;

/// Runs readers on one thread. Each round gives every scope with unread entries a bounded part, so that a scope with
/// many does not hold up the others; a part is read from the store once for all readers, and the cursors of those that
/// make nothing of it move in one write. If a reader fails in a scope, it alone is tried again there, after a pause
/// that doubles up to a minute.
class LogRunner {
 public:
  using Now = std::chrono::steady_clock::time_point (*)();

  /// `follower`, unless null, is asked before a scope is read.
  LogRunner(std::vector<LogReader*> readers, Store& store, ErasureGate& gate, ScopeFollower* follower = nullptr,
            Now now = std::chrono::steady_clock::now);

  /// Reads all there is to read. Gives when to read again if nobody wakes the thread.
  std::optional<std::chrono::milliseconds> work(std::stop_token stop);
  /// How far each reader is behind at `now_ms`, the time of the log's entries.
  std::vector<ReaderStatus> status(std::int64_t now_ms);

  /// Something was appended to the log of the scope. A runner that rests sees it when it goes on.
  void wake(const ScopeKey& scope);
  /// Something was appended by another program, to whatever scope.
  void wake();

  Background& thread() { return thread_; }

 private:
  using FailureKey = std::pair<ScopeKey, std::string>;  ///< scope and reader; of the store itself: no reader
  struct Failure {
    std::chrono::milliseconds pause;
    std::chrono::steady_clock::time_point until;
    std::string what;
  };
  using Moment = std::chrono::steady_clock::time_point;
  struct Found {
    std::set<ScopeKey> scopes;
    bool has_more = false;
  };
  struct Round {
    bool has_read = false, has_more = false;
  };

  Result<Found> scopes_to_read();
  std::set<ScopeKey> read_each(const std::set<ScopeKey>& scopes, const std::stop_token& stop, bool& has_read);
  Result<Round> read_some(const ScopeKey& scope);
  Result<bool> give(LogReader& reader, const LogPart& unread, std::int64_t cursor, std::vector<CursorMove>& passed,
                    Round& round);
  bool pass(std::span<const CursorMove> passed);
  static Moment due(const std::map<FailureKey, Failure>& failures, const FailureKey& key);
  bool is_paused(const ScopeKey& scope, const std::string& reader);
  void note(const ScopeKey& scope, const std::string& reader, const Status& done);
  std::optional<std::chrono::milliseconds> next_try();
  bool was_faster(const Status& written) const;

  const std::vector<LogReader*> readers_;
  std::vector<std::string> names_;  ///< of the readers, in their order
  Store& store_;
  ErasureGate& gate_;
  ScopeFollower* const follower_;
  const Now now_;
  std::atomic<std::chrono::steady_clock::time_point> rest_until_;
  std::atomic<bool> look_at_all_ = true;
  std::chrono::steady_clock::time_point looked_;  ///< when all scopes were looked at; only the thread uses it
  Sync<std::set<ScopeKey>> appended_;  ///< scopes with entries that may be unread
  Sync<std::map<FailureKey, Failure>> failures_;
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
  void appended(const WriteBatch& batch);
  /// To be called when another program may have appended to the log.
  void wake();

  std::vector<ReaderStatus> status(std::int64_t now_ms);
  /// Removes entries that all readers have read, but for the newest `keep` of each scope.
  Status trim(std::int64_t keep);

 private:
  Store& store_;
  ErasureGate& gate_;
  std::vector<std::string> names_;  ///< of all readers
  std::vector<std::unique_ptr<LogRunner>> runners_;
};

}  // namespace weft
