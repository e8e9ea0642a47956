#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "base/threads.h"
#include "engine/engine_core.h"
#include "engine/historian.h"
#include "engine/memory_files.h"
#include "engine/states.h"
#include "flow/historian/rewrite.h"
#include "model/job.h"
#include "ports/files/job_mirror.h"
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

struct EngineCore;

/// What the threads in the background do: give items their vectors, and work off the queue. Each function goes on until
/// there is nothing to do or it is told to stop, and gives when to look again. Safe from any thread.
class Workers {
 public:
  Workers(EngineCore& core, ScopeFollower& follower, Ends& ends, SaidMemory& said, States& states,
          Knowledge& knowledge);

  /// Gives vectors to items that have none, oldest first. One that the model cannot take is left to its words.
  std::optional<std::chrono::milliseconds> embed_items(std::stop_token stop);

  /// Goes on with a change of the embedding model.
  std::optional<std::chrono::milliseconds> change_model(std::stop_token stop);

  /// Works off what is due in the queue.
  std::optional<std::chrono::milliseconds> work_off_queue(std::stop_token stop);

  /// Shows the jobs as files. One thread at a time.
  std::optional<std::chrono::milliseconds> show_jobs();

 private:
  Status work_off(const Job& job, std::stop_token stop);
  Result<Wording> word_topic(const TopicKey& key, std::stop_token stop);
  Status work_off_topic(const Job& job, std::stop_token stop);

  EngineCore& core_;
  ScopeFollower& follower_;
  Ends& ends_;
  SaidMemory& said_;
  States& states_;
  FlushAppend append_;
  JobMirror mirror_;
};

}  // namespace weft
