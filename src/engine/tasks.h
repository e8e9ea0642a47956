#pragma once

#include <string>
#include <vector>

#include "growth/belief_book.h"
#include "weft/context.h"
#include "weft/request.h"
#include "weft/result.h"
#include "weft/task.h"

namespace weft {

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
