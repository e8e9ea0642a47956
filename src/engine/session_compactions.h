#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/sync.h"
#include "engine/histories.h"
#include "flow/compaction/compact.h"
#include "weft/compaction.h"
#include "weft/context.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

struct EngineCore;

/// Making a session smaller: when, from what, and where the result goes. How is `flow/compaction`'s. Safe from any
/// thread.
class SessionCompactions {
 public:
  SessionCompactions(EngineCore& core, Compactions& compactions, Histories& histories)
      : core_(core), compactions_(compactions), histories_(histories) {}

  // `Session` in weft/facets/session.h says what these do.
  Result<Compaction> compact(const RequestContext& request, const SessionId& session, const CompactRequest& what);
  Result<std::vector<Compaction>> compactions(const RequestContext& request, const SessionId& session);
  Result<Compaction> undo_compaction(const RequestContext& request, const SessionId& session);

  /// Before every call: is it too much? Then a compaction is made, and `input` is what is left. True where one was
  /// made. What was prepared in the background is used, else the deterministic way: nobody waits for a model here.
  Result<bool> compact_if_needed(const RequestContext& request, const SessionId& session, const ContextRequest& what,
                                 const ContextPorts& ports, ContextInput& input);

  /// Looks in a prompt after a compaction for what was to be kept, and reports what is not there.
  void check_compacted(const SessionId& session, BuiltContext& built);

  /// In the background: prepares what will soon be needed.
  std::optional<std::chrono::milliseconds> work_off(std::stop_token stop);

  /// Drops what was prepared.
  void forget() { prepared_.lock()->clear(); }

 private:
  struct CompactWish {
    std::int64_t window = 0;
    std::string focus;
    TaskState task;
    ChatModel* model = nullptr;
    std::int64_t beside = 0;  ///< tokens of the prompt that are not history
  };
  struct CompactionJob {
    Scope scope;
    SessionId session;
    CompactWish wish;
  };
  Result<Compacted> make_compaction(const RequestContext& request, const SessionId& session, const CompactWish& wish);
  Status keep_compaction(const RequestContext& request, const SessionId& session, const Compacted& made);
  void log_compaction(const ScopeKey& scope, const SessionId& session, const Compaction& record);
  Status write_session_log(const ScopeKey& scope, const SessionId& session);
  Status promote(const Scope& scope, const SessionId& session, const Compaction& record, WriteBatch& batch);
  Result<bool> compact_now(const RequestContext& request, const SessionId& session, const CompactWish& wish,
                           bool at_once);
  void prepare_compaction(CompactionJob job);
  Result<Compacted> take_prepared(const ScopeKey& scope, const SessionId& session);

  EngineCore& core_;
  Compactions& compactions_;
  Histories& histories_;
  std::mutex session_log_mutex_;  ///< held from counting its lines to adding what is missing
  Sync<std::deque<CompactionJob>> to_compact_;
  Sync<std::map<SessionKey, Compacted>> prepared_;  ///< by scope and session, not in use yet
};

}  // namespace weft
