#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "engine/lessons.h"
#include "engine/memory_files.h"
#include "engine/planned_prompts.h"
#include "engine/profiles.h"
#include "engine/searcher.h"
#include "engine/session_history.h"
#include "engine/streams.h"
#include "engine/tasks.h"
#include "flow/context/build_context.h"
#include "flow/context/offered_tools.h"
#include "flow/context/tool_index.h"
#include "growth/report_builder.h"
#include "weft/context.h"
#include "weft/engine.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

struct EngineCore;

/// Which tools a prompt offers. Safe from any thread.
class ToolChooser {
 public:
  explicit ToolChooser(EngineCore& core) : core_(core) {}

  /// Puts the tools that are worth offering into the input: those that have to do with it, or, unless `offered` is 0,
  /// so many of those that fit best. `key` is of the prompt (see `prompt_key`).
  void choose(const std::string& key, const ContextRequest& what, std::size_t offered, ContextInput& input,
              const Deadline& deadline);

  /// In the background: makes vectors for the lists of tools that were seen. Words choose until they are there.
  void embed(std::stop_token stop);

 private:
  OfferedTools described_tools(const std::string& key, const ContextRequest& what, std::size_t most,
                               const ContextInput& input, const ToolIndex& index, const ToolIndex::Models& models,
                               const Deadline& deadline);

  EngineCore& core_;
  ToolIndexes indexes_;
  Sync<std::vector<std::shared_ptr<ToolIndex>>> to_embed_;
};

/// What a prompt is woven for, beside what its caller asks.
struct PromptUse {
  bool learnt = true;  ///< rules and skills are woven in; false: the caller has its own snapshot of them
  std::size_t offered_tools = 0;  ///< so many tools are offered, those that fit best; 0: as many as have to do with it
};

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
class Prompts {
 public:
  Prompts(EngineCore& core, const PromptServices& with);

  // `Session` in weft/facets/session.h says what these do.
  Result<WovenContext> context(const RequestContext& request, const SessionId& session, const ContextRequest& what) {
    return weave(request, session, what, {});
  }
  std::string standing_text(const RequestContext& request, const SessionId& session);

  /// The same as `context`.
  Result<WovenContext> weave(const RequestContext& request, const SessionId& session, const ContextRequest& what,
                             const PromptUse& use);

 private:
  /// The rules and skills that a prompt offers; it may have no room for some of them.
  struct OfferedLessons {
    std::vector<std::string> rules;  ///< ids of the active ones, which every prompt has
    std::vector<std::string> trial_rules;
    std::string trial_text;
    std::vector<std::pair<std::string, std::string>> skills;  ///< id and text of each
  };

  Status check(const RequestContext& request, const ContextRequest& what);
  void note_prefix(const std::string& key, const ContextInput& input, BuiltContext& built);
  Result<std::vector<std::string>> old_summaries(const RequestContext& request);
  std::string fixed_rules(std::span<const Rule> active);
  Status add_what_is_known(const RequestContext& request, const ContextRequest& what, ContextInput& input);
  OfferedLessons add_lessons(const RequestContext& request, const ContextRequest& what, ContextInput& input);
  void note_lessons(const RequestContext& request, const SessionId& session, const ContextInput& input,
                    const OfferedLessons& offered, std::chrono::steady_clock::time_point begun, BuiltContext& built);
  void add_standing_blocks(const std::string& key, ContextInput& input);
  ContextPorts context_ports(const ScopeKey& scope, const SessionId& session, const std::string& model);
  Status open_streams(const RequestContext& request, const SessionId& session, PlanScene& scene,
                      const ContextRequest& what, const PlannerDecision& decision, const Deadline& caller,
                      ContextPorts& ports, ContextInput& input);

  EngineCore& core_;
  PromptServices with_;
  PromptLessons lessons_;
};

}  // namespace weft
