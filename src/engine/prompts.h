#pragma once

#include <string>
#include <vector>

#include "engine/curation_stream.h"
#include "engine/diaries.h"
#include "engine/histories.h"
#include "engine/knowledge.h"
#include "engine/profiles.h"
#include "engine/prompt_use.h"
#include "engine/rules.h"
#include "engine/searcher.h"
#include "engine/services.h"
#include "engine/session_compactions.h"
#include "engine/skeleton_stream.h"
#include "engine/skills.h"
#include "engine/streams.h"
#include "engine/tasks.h"
#include "engine/tool_chooser.h"
#include "engine/turn_planner.h"
#include "flow/context/build_context.h"

namespace weft {

struct EngineCore;

/// The services that a prompt is woven with.
struct PromptServices {
  Profiles& profiles;
  Searcher& searcher;
  Tasks& tasks;
  Streams& streams;
  Histories& histories;
  SessionCompactions& compactions;
  ToolChooser& tools;
  TurnPlanner& planner;
  SkeletonStream& skeletons;
  CurationStream& curations;
  Diaries& diaries;
  Knowledge& knowledge;
  Rules& rules;
  Skills& skills;
};

/// Weaving the prompt of the next model call: what is known is gathered here, the order of steps is `build_context`'s.
/// Safe from any thread.
class Prompts final : public PromptService {
 public:
  Prompts(EngineCore& core, const PromptServices& with) : core_(core), with_(with) {}

  // As `PromptService` says.
  Result<WovenContext> context(const RequestContext& request, const SessionId& session,
                               const ContextRequest& what) override {
    return weave(request, session, what, {});
  }
  std::string standing_text(const RequestContext& request, const SessionId& session) override;

  /// The same as `context`.
  Result<WovenContext> weave(const RequestContext& request, const SessionId& session, const ContextRequest& what,
                             const PromptUse& use);

 private:
  Status check(const RequestContext& request, const ContextRequest& what);
  void note_prefix(const std::string& key, const ContextInput& input, BuiltContext& built);
  Result<std::vector<std::string>> old_summaries(const RequestContext& request);
  std::string fixed_rules(const ScopeKey& scope);
  Status add_what_is_known(const RequestContext& request, const ContextRequest& what, const PromptUse& use,
                           ContextInput& input);
  void add_trial_rules(const ScopeKey& scope, const ContextRequest& what, ContextInput& input);
  void add_standing_blocks(const std::string& key, ContextInput& input);
  ContextPorts context_ports(const ScopeKey& scope, const SessionId& session, const std::string& model);
  Status open_streams(const RequestContext& request, const SessionId& session, PlanScene& scene,
                      const ContextRequest& what, const PlannerDecision& decision, const Deadline& caller,
                      ContextPorts& ports, ContextInput& input);

  EngineCore& core_;
  PromptServices with_;
};

}  // namespace weft
