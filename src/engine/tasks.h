#pragma once

#include <string>
#include <vector>

#include "engine/services.h"
#include "growth/belief_book.h"

namespace weft {

struct EngineCore;

/// What sessions work on, and what is preferred in every session of a scope. Safe from any thread.
class Tasks final : public TaskService {
 public:
  Tasks(EngineCore& core, BeliefBook& beliefs) : core_(core), beliefs_(beliefs) {}

  // As `TaskService` says.
  Result<SessionTask> task(const RequestContext& request, const SessionId& session) override;
  Status put_task(const RequestContext& request, const SessionId& session, const SessionTask& task) override;
  Result<bool> end_task(const RequestContext& request, const SessionId& session) override;
  Result<std::vector<Preference>> preferences(const RequestContext& request) override;
  Status put_preferences(const RequestContext& request, const std::vector<Preference>& preferences) override;

  /// What a prompt of the session is told of its task: what the caller says goes on from what is known, and is kept for
  /// the calls to come; and all that is preferred.
  Result<SessionTask> task_for(const RequestContext& request, const SessionId& session, const ContextRequest& what);

 private:
  std::vector<Preference> learned_preferences(const RequestContext& request);

  EngineCore& core_;
  BeliefBook& beliefs_;
};

}  // namespace weft
