#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/sync.h"
#include "ports/store/store.h"
#include "weft/task.h"

namespace weft {

/// What each session works on, and what each scope prefers: documents of the store, the newest kept in memory. Safe
/// from any thread.
class SessionTasks {
 public:
  explicit SessionTasks(Store& store) : store_(store) {}

  /// The session's task; empty where there is none.
  Result<SessionTask> task(const ScopeKey& scope, const SessionId& session);
  /// Sets it, durably; an empty one ends it. What stands there already is not written again.
  Status put(const ScopeKey& scope, const SessionId& session, SessionTask task, Time now);

  /// Adds the end of the session's task to `batch`; false if it has none. Call `forget` once the batch is written.
  Result<bool> add_end(const ScopeKey& scope, const SessionId& session, Time now, WriteBatch& batch);

  Result<std::vector<Preference>> preferences(const ScopeKey& scope);
  Status put_preferences(const ScopeKey& scope, const std::vector<Preference>& preferences, Time now);

  /// Forgets what is in memory: rows were taken away.
  void forget();

 private:
  struct Known {
    std::int64_t version = 0;  ///< 0: there is no document yet
    std::string body;
  };
  Result<Known> read(const ScopeKey& scope, const char* kind, const std::string& id);
  Status write(const ScopeKey& scope, const char* kind, const std::string& id, const std::string& body, Time now);

  Store& store_;
  Sync<std::map<std::string, Known>> known_;  ///< by scope, kind and id
};

}  // namespace weft
