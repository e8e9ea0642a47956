#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/threads.h"
#include "growth/belief_book.h"
#include "ports/store/store.h"
#include "weft/context.h"
#include "weft/request.h"
#include "weft/result.h"
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

  /// Adds the end of the session's task to `batch`; false if it has none. Call `forget` with the session once the batch
  /// is written.
  Result<bool> add_end(const ScopeKey& scope, const SessionId& session, Time now, WriteBatch& batch);

  Result<std::vector<Preference>> preferences(const ScopeKey& scope);
  Status put_preferences(const ScopeKey& scope, const std::vector<Preference>& preferences, Time now);

  /// Drops what is in memory of a session's task, or of everything: rows have changed elsewhere.
  void forget(const ScopeKey& scope, const SessionId& session);
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

struct EngineCore;

/// What sessions work on, and what is preferred in every session of a scope. Safe from any thread.
class Tasks {
 public:
  Tasks(EngineCore& core, BeliefBook& beliefs) : core_(core), beliefs_(beliefs) {}

  // `Session` in weft/facets/session.h says what these do.
  Result<SessionTask> task(const RequestContext& request, const SessionId& session);
  Status put_task(const RequestContext& request, const SessionId& session, const SessionTask& task);
  Result<bool> end_task(const RequestContext& request, const SessionId& session);
  Result<std::vector<Preference>> preferences(const RequestContext& request);
  Status put_preferences(const RequestContext& request, const std::vector<Preference>& preferences);

  /// What a prompt of the session is told of its task: what the caller says goes on from what is known, and is kept for
  /// the calls to come; and all that is preferred.
  Result<SessionTask> task_for(const RequestContext& request, const SessionId& session, const ContextRequest& what);

 private:
  std::vector<Preference> learned_preferences(const RequestContext& request);

  EngineCore& core_;
  BeliefBook& beliefs_;
};

}  // namespace weft
