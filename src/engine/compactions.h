#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "ports/store/store.h"
#include "weft/compaction.h"

namespace weft {

/// A session's compaction as prompts use it.
struct LiveCompaction {
  Compaction record;
  std::unordered_set<std::int64_t> covered;    ///< numbers of the messages that its summary stands for
  std::unordered_set<std::int64_t> shortened;  ///< of outputs that are sent in short form
  std::int64_t last_covered = 0;
};

/// The compactions of all sessions: kept as documents, the one that counts also in memory. Safe from many threads.
class Compactions {
 public:
  explicit Compactions(Store& store) : store_(store) {}

  /// All of a session, oldest first.
  Result<std::vector<Compaction>> all(const ScopeKey& scope, const SessionId& session);

  /// The newest that was not undone; null: none. A record that cannot be read is an error, and counts as none.
  Result<std::shared_ptr<const LiveCompaction>> live(const ScopeKey& scope, const SessionId& session);

  /// The rows to be written for a record: a new one, or a known one with a change.
  Result<DocumentRow> row_of(const ScopeKey& scope, const SessionId& session, const Compaction& record, Time now);

  /// What is in memory of a session is out of date.
  void changed(const ScopeKey& scope, const SessionId& session);
  void forget(const ScopeKey& scope);

 private:
  Store& store_;
  std::mutex mutex_;
  std::uint64_t changes_ = 0;  ///< what was read before one is not kept
  std::map<SessionKey, std::shared_ptr<const LiveCompaction>> live_;  ///< null: known to have none
};

}  // namespace weft
