#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/threads.h"
#include "engine/searcher.h"
#include "engine/states.h"
#include "engine/story.h"
#include "flow/context/build_context.h"
#include "flow/context/curate.h"
#include "flow/context/planner.h"
#include "flow/context/skeleton.h"
#include "weft/result.h"

namespace weft {

struct EngineCore;
struct PlanScene;

/// The skeleton of a planned prompt: state, active quests and guidance through a template. Safe from any thread.
class SkeletonStream {
 public:
  SkeletonStream(EngineCore& core, States& states);

  /// The whole skeleton.
  Result<std::string> render(const PlanScene& scene, const PlanContext& plan);

  /// With what matters now, in about so many tokens.
  Result<std::string> shorter(const PlanScene& scene, const PlanContext& plan, std::int64_t tokens);

  /// How the model writes changes of the state; empty where there is no state, or it is not to be told.
  std::string state_guide(const PlanScene& scene, const ContextInput& input);

  /// What was to be changed and was not, for the model to tell; empty: nothing.
  static std::string notice(const PlanScene& scene, const PlannerDecision& decision);

  /// Whether there is such a template.
  Status check(std::string_view template_id) { return skeleton_.check(template_id); }

  /// The templates that there are.
  auto catalog() const { return skeleton_.catalog(); }

 private:
  EngineCore& core_;
  States& states_;
  Skeleton skeleton_;
};

/// What the planner works towards in a scope: it outlives the turn, the session and the process.
struct LastingGoal {
  std::int64_t version = 0;  ///< of its document
  std::string text, quest;
};

Result<LastingGoal> lasting_goal(EngineCore& core, const ScopeKey& scope);

/// Writes what a decision made of it, where that is something else. A goal that could not be kept costs no prompt.
void keep_goal(EngineCore& core, const ScopeKey& scope, const LastingGoal& before, const PlannerDecision& decision);

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

/// What a planned prompt has beside skeleton and history: the lore that always stands, the lore that is called up by
/// its keys, and what curation finds on threads of its own. Safe from any thread.
class CurationStream {
 public:
  CurationStream(EngineCore& core, Searcher& searcher);

  /// Begins to look for what this turn needs, if anything, and gives what takes the result as far as it is there in
  /// time. What is called up by its keys comes in any case. `scene` must outlive what is given.
  std::function<Curated(const CurationRoom& room)> begin(const RequestContext& request, const SessionId& session,
                                                         const PlanScene& scene, const ContextRequest& what,
                                                         const ContextInput& input, const PlanContext& plan,
                                                         const Deadline& caller);

  /// The lore that stands at the head of every prompt.
  std::string standing_story(const PlanScene& scene) const;

  void forget(const ScopeKey& scope) { curator_.forget(scope); }

 private:
  std::shared_ptr<PendingCuration> start(const RequestContext& request, const SessionId& session,
                                         const PlanScene& scene, const ContextInput& input, const PlanContext& plan);
  Curated collect(PendingCuration* pending, const PlanScene& scene, const CurationRoom& room, bool skein,
                  const Deadline& deadline);
  Result<SearchResult> search_story(const StoryScope& scope, const SearchRequest& search, const Deadline& deadline);
  void add_called_lore(const PlanScene& scene, EntriesToWeave& entries, Curated& report) const;

  EngineCore& core_;
  Searcher& searcher_;
  Curator curator_;  // last: its work uses what stands above
};

}  // namespace weft
