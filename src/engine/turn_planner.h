#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sync.h"
#include "engine/lore_book.h"
#include "engine/quests.h"
#include "engine/skeleton_stream.h"
#include "engine/states.h"
#include "flow/context/build_context.h"
#include "flow/context/planner.h"
#include "weft/result.h"

namespace weft {

struct EngineCore;

/// What the planner works towards in a scope: it outlives the turn, the session and the process.
struct LastingGoal {
  std::int64_t version = 0;  ///< of its document
  std::string text, quest;
};

Result<LastingGoal> lasting_goal(EngineCore& core, const ScopeKey& scope);

/// Writes what a decision made of it, where that is something else. A goal that could not be kept costs no prompt.
void keep_goal(EngineCore& core, const ScopeKey& scope, const LastingGoal& before, const PlannerDecision& decision);

struct EngineCore;

/// What a turn is planned from.
struct PlanScene {
  StoryScope story;
  std::string key, state, input;
  ScopeKey state_home;  ///< whose state it is, the scope's own or its world's
  std::string request_id;  ///< of the input; empty: it has none
  std::vector<std::string> players;  ///< names of the player's own figure
  std::vector<Message> recent;
  std::vector<Quest> quests;
  std::shared_ptr<const LoreShelf> lore;
  std::shared_ptr<const StateFacts> facts;  ///< null: there is no state
  std::optional<StateView> made_before;     ///< what this very request changed when it was sent before
  std::string refused;                      ///< why the operations of the last answer were not applied
  std::string standing;                     ///< what the story adds to the rules, as it was woven
};

/// What a turn is about: quest, goal, keywords, time, template; and the fast path, which changes numbers of the state
/// at once. Safe from any thread.
class TurnPlanner {
 public:
  TurnPlanner(EngineCore& core, States& states, Quests& quests, LoreBook& lore, const SkeletonStream& skeletons)
      : core_(core), states_(states), quests_(quests), lore_(lore), skeletons_(skeletons) {}

  /// Fills `scene` and `decision` where the caller wants a planned prompt. Gives the answer itself, and nothing more is
  /// to be done, where the turn only changed numbers.
  Result<std::optional<WovenContext>> plan(const RequestContext& request, const SessionId& session,
                                           const ContextRequest& what, const ContextInput& input,
                                           const Deadline& deadline, PlanScene& scene,
                                           std::optional<PlannerDecision>& decision);

  /// Whether what a planned prompt is asked for is there: world and state. Changes nothing.
  Status check(const RequestContext& request, const ContextRequest& what);

  /// Drops the last plans.
  void forget() { plans_.lock()->clear(); }

 private:
  Result<PlanScene> plan_scene(const RequestContext& request, const SessionId& session, const ContextRequest& what,
                               const ContextInput& input);
  std::shared_ptr<const KnownNames> names_for(const PlanScene& scene);
  Result<PlannerDecision> decide(const ScopeKey& scope, const PlanScene& scene, const ContextRequest& what,
                                 bool numbers, const Deadline& deadline);
  Result<WovenContext> answer_at_once(const PlanScene& scene, PlannerDecision decision);

  EngineCore& core_;
  States& states_;
  Quests& quests_;
  LoreBook& lore_;
  const SkeletonStream& skeletons_;
  Sync<std::map<std::string, PlanContext>> plans_;  ///< the last one of each session
};

}  // namespace weft
