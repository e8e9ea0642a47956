#pragma once

#include "base/sync.h"
#include "engine/engine_core.h"
#include "weft/request.h"

namespace weft {

class Compactions;
class Diaries;
class StateShelf;
class TurnPlanner;

/// Brings what is held of a scope in memory up to the rows that other programs have written to a shared store: the
/// index takes in changed items, caches are dropped and read again when they are next used. For a store that only this
/// program writes there is nothing to do. All references must outlive it. Safe from many threads.
class ScopeFollower {
 public:
  ScopeFollower(EngineCore& core, StateShelf& states, Compactions& compactions, TurnPlanner& planner, Diaries& diaries)
      : core_(core), states_(states), compactions_(compactions), planner_(planner), diaries_(diaries) {}

  /// To be called before the memory of the scope is used. Whoever asks meanwhile waits. Errors: of the store.
  Status follow(const ScopeKey& scope);
  /// The same for the scope of a request, and for the world that it plays in.
  Status follow(const RequestContext& request);

 private:
  EngineCore& core_;
  StateShelf& states_;
  Compactions& compactions_;
  TurnPlanner& planner_;
  Diaries& diaries_;
  KeyLocks locks_;  ///< by scope
};

}  // namespace weft
