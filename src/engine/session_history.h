#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "flow/compaction/anchors.h"
#include "flow/compaction/compact.h"
#include "flow/context/build_context.h"
#include "ports/store/store.h"
#include "weft/compaction.h"
#include "weft/context.h"
#include "weft/engine.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

/// A session's compaction as prompts use it.
struct LiveCompaction {
  Compaction record;
  std::unordered_set<std::int64_t> covered;    ///< numbers of the messages that its summary stands for
  std::unordered_set<std::int64_t> shortened;  ///< of outputs that are sent in short form
  std::int64_t last_covered = 0;
};

/// The compactions of all sessions: kept as documents, the one that counts also in memory. Safe from many threads.
class Compactions {
 public:
  explicit Compactions(Store& store) : store_(store) {}

  /// All of a session, oldest first.
  Result<std::vector<Compaction>> all(const ScopeKey& scope, const SessionId& session);

  /// The newest that was not undone; null: none. A record that cannot be read is an error, and counts as none.
  Result<std::shared_ptr<const LiveCompaction>> live(const ScopeKey& scope, const SessionId& session);

  /// The rows to be written for a record: a new one, or a known one with a change.
  Result<DocumentRow> row_of(const ScopeKey& scope, const SessionId& session, const Compaction& record, Time now);

  /// What is in memory of a session is out of date.
  void changed(const ScopeKey& scope, const SessionId& session);
  void forget(const ScopeKey& scope);

 private:
  Store& store_;
  std::mutex mutex_;
  std::uint64_t changes_ = 0;  ///< what was read before one is not kept
  std::map<SessionKey, std::shared_ptr<const LiveCompaction>> live_;  ///< null: known to have none
};

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

/// What stands in every prompt of a workspace, whole: AGENTS.md, SOUL.md and USER.md, one after the other. Read anew
/// each time, since people may change them; a file that cannot be read is told in the log.
std::string workspace_rules(const EngineCore& core);

/// The statements of these files that a compaction must not lose.
std::vector<Anchor> workspace_anchors(const EngineCore& core);

}  // namespace weft
