#include "engine/scope_follower.h"

#include "engine/compactions.h"
#include "engine/diaries.h"
#include "engine/state_shelf.h"
#include "engine/states.h"
#include "engine/turn_planner.h"

namespace weft {

Status ScopeFollower::follow(const ScopeKey& scope) {
  if (!core_.store->is_shared()) return {};
  WEFT_TRY(ScopeNews news, core_.store->news(scope));
  if (!news.any()) return {};
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  WEFT_TRY(news, core_.store->news(scope));
  if (!news.any()) return {};
  core_.sessions->forget(scope);
  core_.facts->forget(scope);
  core_.tasks->forget();
  core_.story.forget(scope);
  core_.prompts.forget_memories(prompt_key(scope, {}));
  states_.forget(scope);
  compactions_.forget(scope);
  planner_.forget();
  if (news.has_removed) diaries_.forget_prompts(scope);
  // What a call of this program has written is older than the news, and would undo them if it came into the index
  // later.
  core_.change->gate().wait_for_those_inside();
  WEFT_CHECK(core_.change->serving()->memory.take_news(scope, news));
  core_.store->caught_up(scope, news);
  return {};
}

Status ScopeFollower::follow(const RequestContext& request) {
  if (!core_.store->is_shared()) return {};
  WEFT_CHECK(follow(request.scope.key()));
  WEFT_TRY(const StoryScope story, story_scope(core_.config, request));
  if (story.own != request.scope.key()) WEFT_CHECK(follow(story.own));
  return story.world.empty() ? Status() : follow(story.world);
}

}  // namespace weft
