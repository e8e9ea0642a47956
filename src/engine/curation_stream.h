#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/searcher.h"
#include "engine/story_shelf.h"
#include "flow/context/build_context.h"
#include "flow/context/curate.h"
#include "flow/context/injector.h"
#include "flow/context/planner.h"

namespace weft {

struct EngineCore;
struct PlanScene;

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
