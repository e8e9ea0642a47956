#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/compactions.h"
#include "flow/context/build_context.h"
#include "weft/engine.h"

namespace weft {

struct EngineCore;

/// What of a session a prompt is built from: the history that the caller sends along, recognised in the store, or as
/// much of the session's living branch as can matter for the window. Safe from any thread.
class Histories {
 public:
  Histories(EngineCore& core, Compactions& compactions) : core_(core), compactions_(compactions) {}

  /// Whether a request says how it is to be answered, and its window leaves room. Changes nothing.
  Status check(const ContextRequest& what) const;

  /// The input of a prompt as far as the session gives it: history, system prompt, window, and the compaction that
  /// stands for a part of the history.
  Result<ContextInput> context_input(const RequestContext& request, const SessionId& session,
                                     const ContextRequest& what);

  /// The compaction that counts for a prompt; null where there is none, or only one of a branch that was left.
  std::shared_ptr<const LiveCompaction> compaction_for(const ScopeKey& scope, const SessionId& session);

  /// Texts of narratives of what was said before message number `seq`, newest first.
  std::vector<std::string> summaries_before(const ScopeKey& scope, const SessionId& session, std::int64_t seq);

  /// Texts of those of the messages that stand in this session.
  std::vector<std::string> originals_of(const ScopeKey& scope, const SessionId& session,
                                        std::span<const MessageId> ids);

 private:
  Status load_history(const ScopeKey& scope, const SessionId& session, ContextInput& input);
  Status recognise_history(const ScopeKey& scope, const SessionId& session, const ContextRequest& what,
                           ContextInput& input);
  static void apply_compaction(const LiveCompaction& live, ContextInput& input);

  EngineCore& core_;
  Compactions& compactions_;
};

}  // namespace weft
