#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/block.h"
#include "weft/cognitive.h"
#include "weft/compaction.h"
#include "weft/config.h"
#include "weft/context.h"
#include "weft/erasure.h"
#include "weft/group_traces.h"
#include "weft/lore.h"
#include "weft/memory.h"
#include "weft/message.h"
#include "weft/model_traits.h"
#include "weft/profile.h"
#include "weft/quest.h"
#include "weft/repair.h"
#include "weft/result.h"
#include "weft/scope.h"
#include "weft/state.h"

namespace weft {

/// Everything a request carries on its way: whose memory, until when, and whether the caller still waits.
struct RequestContext {
  Scope scope;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::stop_token cancel;
  std::string world = {};  ///< the world that the scope plays in; empty: the one of the setting story.world, if any
  /// State, quests and lore of that world itself are meant, to fill it or to read it: what many scopes share. It holds
  /// nothing that was not put there so.
  bool of_world = false;
};

/// What became of one observed message.
struct Observation {
  MessageId id;
  std::string action;  ///< "opened", "staged", "observed", "sealed", "system", "saved", "duplicate", "kept"
  BlockId block;
  std::optional<Decision> decision;  ///< where this message sealed a block
  std::vector<std::string> notes;  ///< "orphan tool output", "block interrupted", …
};

/// One topic that was closed while observing.
struct Flushed {
  TopicId topic;
  FlushReason reason = FlushReason::kDrift;
  JobId job;
  std::size_t blocks = 0;
  std::int64_t tokens = 0;
};

struct ObserveReport {
  std::vector<Observation> observations;  ///< one a message, in order
  std::vector<Flushed> flushed;
};

/// What became of a client's whole history.
struct SyncReport {
  std::size_t known = 0;  ///< messages recognised
  std::size_t added = 0;  ///< messages observed now
  std::size_t abandoned = 0;  ///< messages of the branch that the client left
  ObserveReport observed;
};

/// The queue of the historian, and what has been kept.
struct QueueStatus {
  std::size_t pending = 0, processing = 0, failed = 0;
  std::uint64_t done = 0;
};

struct JobInfo {
  JobId id;
  std::string kind;  ///< "topic", "end", "flush"
  std::string state;  ///< "pending", "processing", "failed"
  int attempts = 0;
  std::string reason;  ///< of the last failure
  std::string created;  ///< RFC 3339
  std::string payload;  ///< JSON
};

/// Something that is wrong, with what to do about it.
struct Problem {
  std::string code;  ///< stable: "disk", "store", "embedder", "queue_failed", …
  bool failing = false;  ///< what is acknowledged or asked for cannot be kept; otherwise it goes on with less
  std::string what, advice;
};

/// What a backup holds.
struct BackupReport {
  std::string folder;
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};

/// A snapshot for `weft doctor`, /healthz and the demo.
struct EngineStatus {
  std::string embedder;  ///< name of the model, or "none"
  std::string embedder_state;  ///< "ready", "loading", "failed: …", "none"
  std::string next_embedder;  ///< the model that takes over when all items have its vectors; empty: no change
  std::string next_embedder_state;
  std::uint64_t next_done = 0, next_all = 0;  ///< items that have a vector of the next model, and all that need one
  std::string chat;  ///< name of the main chat model, or "none"
  std::string token_mode;
  QueueStatus queue;
  std::uint64_t messages = 0, items = 0, unembedded = 0;
  std::vector<Problem> problems;  ///< the gravest first; empty: all is well

  /// "ok", "degraded" or "failing".
  std::string_view health() const {
    return problems.empty() ? "ok" : problems.front().failing ? "failing" : "degraded";
  }
};

/// What importing a file of lore did.
struct LoreReport {
  std::size_t imported = 0;  ///< entries taken, new or again
  std::size_t left_out = 0;
  std::vector<std::string> problems;  ///< where and why
};

/// How a session is to be compacted.
struct CompactRequest {
  std::string focus;  ///< what the summary should keep above all; may be empty
  std::int64_t window = 0;  ///< of the model in tokens; 0: as configured
};

/// A message as it is kept, for showing originals.
struct StoredMessage {
  Message message;
  SessionId session;
  std::int64_t sequence = 0;  ///< grows by one a message in its workspace
  bool active = true;  ///< false: on a branch that was left
  std::int64_t tokens = 0;
};

/// The engine. All functions may be called from any thread; calls on one session are put in order.
/// Nothing acknowledged by a successful return is lost when the process dies afterwards.
class Engine {
 public:
  /// Opens or makes the workspace, with the settings of its weft.toml under those of `config`, see `settle_config`.
  /// kConflict where another process holds it; kInvalidArgument, naming the key and what it may be, for a setting that
  /// makes no sense.
  static Result<std::unique_ptr<Engine>> open(const Config& config);
  virtual ~Engine() = default;

  /// Takes messages into a session's stream. All or none of them are kept.
  virtual Result<ObserveReport> observe(const RequestContext& request, const SessionId& session,
                                        std::span<const Message> messages) = 0;

  /// Takes a client's whole history, as chat clients send it: known messages are recognised, new ones observed, and
  /// when the client has edited or regenerated, the branch is followed and what the old one left behind is no longer
  /// recalled.
  virtual Result<SyncReport> sync(const RequestContext& request, const SessionId& session,
                                  std::span<const Message> history) = 0;

  /// The session of a client's whole history where the client names none. A history that goes on from a known one, or
  /// that replaces its newest turn (another answer, an edited last user message), is the same conversation, also where
  /// its oldest messages were dropped; any other one is a new conversation, even if it begins alike. Sessions that are
  /// being answered meanwhile are `busy`: they are nobody else's.
  virtual Result<SessionId> conversation_of(const RequestContext& request, std::span<const Message> history,
                                            std::span<const SessionId> busy) = 0;

  /// What is known of a model by its name: from refusals, weft.toml, its server's list and what Weft ships.
  virtual ModelTraits model_traits(const std::string& model) = 0;
  /// Takes in what a model's server says of it; kept until the engine is closed.
  virtual void learn_model(const std::string& model, const ModelLesson& lesson) = 0;

  /// Closes the session's open topic now. Gives nothing in `flushed` when there was none.
  virtual Result<ObserveReport> save(const RequestContext& request, const SessionId& session) = 0;

  /// What the session works on; empty where there is no task, or it was ended.
  virtual Result<SessionTask> task(const RequestContext& request, const SessionId& session) = 0;
  /// Sets it in the place of what stood there. It is in every prompt of the session until `end_task`.
  virtual Status put_task(const RequestContext& request, const SessionId& session, const SessionTask& task) = 0;
  /// Ends it. Gives whether there was one.
  virtual Result<bool> end_task(const RequestContext& request, const SessionId& session) = 0;

  /// What is preferred in every session of the scope, beside what its tasks say.
  virtual Result<std::vector<Preference>> preferences(const RequestContext& request) = 0;
  virtual Status put_preferences(const RequestContext& request, const std::vector<Preference>& preferences) = 0;

  /// Weaves the prompt of the next model call.
  virtual Result<WovenContext> context(const RequestContext& request, const SessionId& session,
                                       const ContextRequest& what) = 0;

  /// What stands in every prompt of the session as it is and is never trimmed: the rules of the workspace's own files
  /// and the session's task. Empty where there is nothing of the kind.
  virtual std::string standing_text(const RequestContext& /*request*/, const SessionId& /*session*/) { return {}; }

  /// Searches the memory of the request's scope. What was observed before is found at once.
  virtual Result<SearchResult> search(const RequestContext& request, const SearchRequest& what) = 0;

  /// Ends an agent's turn: what it did and what it learnt is queued for the historian, durably, before this returns.
  /// Nothing is queued where both texts are empty. kConflict while a tool call has no output (unless forced) and for a
  /// second `new_info` of one message.
  virtual Result<EndReport> end(const RequestContext& request, const SessionId& session, const EndRequest& what) = 0;

  /// Takes a summary of the old mode (end_summaries.json) over as an event. The same summary, time and place again is
  /// recognised: then nothing is queued.
  virtual Result<EndReport> import_summary(const RequestContext& request, const std::string& summary,
                                           std::optional<Time> time, const std::string& place) = 0;

  /// The profile of a user or a group. kPermission unless it is the scope's own (see cognitive.user_profile_in_groups);
  /// kNotFound if there is none yet; kCorrupt, naming file and line, if a person's edit cannot be read.
  virtual Result<Profile> profile(const RequestContext& request, const EntityKey& entity) = 0;
  /// Kept versions of it, oldest first, and one of them.
  virtual Result<std::vector<ProfileVersion>> profile_history(const RequestContext& request,
                                                              const EntityKey& entity) = 0;
  virtual Result<Profile> profile_version(const RequestContext& request, const EntityKey& entity,
                                          std::uint64_t version) = 0;
  /// Puts a kept version back; what stood there is kept as one more version.
  virtual Result<Profile> roll_back_profile(const RequestContext& request, const EntityKey& entity,
                                            std::uint64_t version) = 0;
  /// Replaces the text of it, as a person does who edits the file.
  virtual Result<Profile> write_profile(const RequestContext& request, const EntityKey& entity,
                                        const std::string& body) = 0;
  /// The file of it, for an editor.
  virtual Result<std::string> profile_path(const RequestContext& request, const EntityKey& entity) = 0;
  /// All profiles, for the operator of the workspace: this one function looks across scopes, and gives no text.
  virtual Result<std::vector<ProfileSummary>> list_profiles(EntityType type) = 0;

  /// Forgets messages of the scope and all that was made from them, also in files, indexes, caches, the queue and free
  /// pages, and gives the receipt, which is kept in erasures/. Others go on meanwhile; those who write to the very
  /// sessions wait for moments. Killed in between, it goes on by itself at the next start, and the same call gives its
  /// receipt. Message ids that several sessions have need the session (else kConflict). What stands in a scope's other
  /// memory (a group's, a user's private one) is another scope's.
  virtual Result<EraseReceipt> erase(const RequestContext& request, const EraseRequest& what) = 0;
  /// Whether anything that a receipt names is there: ids in the rows, and erased texts in every file of the workspace
  /// and of the backups it knows of. What somebody else said in the same words is no trace.
  virtual Result<EraseCheck> verify_erasure(const std::string& receipt_id) = 0;
  /// What of a user's still stands in groups; the request is one of the user's private scope.
  virtual Result<std::vector<GroupTrace>> group_traces(const RequestContext& request) = 0;
  /// Forgets that, group by group, and gives the receipt of each. Killed in between, the same call goes on.
  virtual Result<std::vector<EraseReceipt>> erase_in_groups(const RequestContext& request) = 0;

  /// Original messages by id, in the request's scope; unknown ids are left out.
  virtual Result<std::vector<StoredMessage>> originals(const RequestContext& request,
                                                       std::span<const MessageId> ids) = 0;

  /// The active messages of a session, oldest first; at most `limit` of the newest.
  virtual Result<std::vector<StoredMessage>> history(const RequestContext& request, const SessionId& session,
                                                     std::size_t limit) = 0;

  /// Items of a kind in the request's scope, oldest first.
  virtual Result<std::vector<Item>> items(const RequestContext& request, ItemKind kind, std::size_t limit) = 0;

  /// A state of the scope by name, as it stands or as it stood after `version` (0: the newest). A name that was never
  /// written gives version 0 and an empty tree.
  virtual Result<StateView> state(const RequestContext& request, const std::string& name, std::int64_t version) = 0;
  /// Puts a whole tree (JSON) in the place of a state, as one more version.
  virtual Result<StateView> put_state(const RequestContext& request, const std::string& name, const std::string& json,
                                      const std::string& author) = 0;
  /// Applies operations, all or none.
  virtual Result<StateView> apply_state(const RequestContext& request, const std::string& name,
                                        const StateChange& change) = 0;
  /// Its versions, oldest first, at most `limit` of the newest.
  virtual Result<std::vector<StateVersion>> state_log(const RequestContext& request, const std::string& name,
                                                      std::size_t limit) = 0;
  /// Puts a former version back, as one more version.
  virtual Result<StateView> roll_back_state(const RequestContext& request, const std::string& name,
                                            std::int64_t version, const std::string& author) = 0;

  /// The JSON schema that changes of a state have to keep to; empty where there is none.
  virtual Result<std::string> state_schema(const RequestContext& request, const std::string& name) = 0;
  /// Sets it (draft 7, of the whole tree as `state` gives it, without regular expressions); an empty one lifts it.
  /// kInvalidArgument for what is no schema, or where the state as it is breaks it.
  virtual Status put_state_schema(const RequestContext& request, const std::string& name, const std::string& schema,
                                  const std::string& author) = 0;

  virtual Result<std::vector<Quest>> quests(const RequestContext& request) = 0;
  /// Takes quests from a file's text (YAML or JSON) over the known ones; gives those that changed. `file` names it in
  /// errors.
  virtual Result<std::vector<Quest>> import_quests(const RequestContext& request, const std::string& text,
                                                   const std::string& file) = 0;
  /// Moves a quest on; gives all that changed by it, itself first.
  virtual Result<std::vector<Quest>> move_quest(const RequestContext& request, const std::string& id,
                                                QuestStatus status, const std::string& note) = 0;

  /// Takes one quest over the known ones, from JSON; gives those that changed.
  virtual Result<std::vector<Quest>> put_quest(const RequestContext& request, const std::string& json) = 0;
  /// Takes a quest out. kConflict where another one needs it. One of the world is gone for this scope alone.
  virtual Result<std::vector<Quest>> delete_quest(const RequestContext& request, const std::string& id) = 0;

  /// The lore that the scope has, its own and its world's, in the order of ids.
  virtual Result<std::vector<LoreEntry>> lore(const RequestContext& request) = 0;
  /// Puts an entry under its id; one of the world is changed for this scope alone.
  virtual Result<LoreEntry> put_lore(const RequestContext& request, const LoreEntry& entry) = 0;
  /// Takes out the entry with that id, or all of the file `source` where `id` is empty; gives how many. kNotFound for
  /// none. Entries of the world are gone for this scope alone.
  virtual Result<std::size_t> delete_lore(const RequestContext& request, const std::string& id,
                                          const std::string& source) = 0;

  /// Takes lore from a file's bytes; its kind is told from the name. Entries of the same file that are gone from it go.
  /// kInvalidArgument for a file without any entry.
  virtual Result<LoreReport> import_lore(const RequestContext& request, const std::string& bytes,
                                         const std::string& file) = 0;

  /// Puts a summary in the place of a session's older turns, for the prompts to come. The originals stay.
  virtual Result<Compaction> compact(const RequestContext& request, const SessionId& session,
                                     const CompactRequest& what) = 0;
  /// The compactions of a session, oldest first; one that was undone says so.
  virtual Result<std::vector<Compaction>> compactions(const RequestContext& request, const SessionId& session) = 0;
  /// Takes the newest one back: what it stands for is sent as it was said again. kNotFound where there is none.
  virtual Result<Compaction> undo_compaction(const RequestContext& request, const SessionId& session) = 0;

  virtual Result<std::vector<JobInfo>> jobs() = 0;
  /// Takes failed jobs out for good: this one, or all if the id is empty. Gives how many went.
  virtual Result<std::size_t> purge_failed(const JobId& job) = 0;
  /// Puts a failed job back to pending.
  virtual Status retry(const JobId& job) = 0;
  /// Puts all failed jobs back to pending, all or none. Gives how many.
  virtual Result<std::size_t> retry_failed() = 0;
  virtual EngineStatus status() = 0;

  /// Makes the events of the whole workspace anew from what they were made from, as the deterministic way words them
  /// now, and says what changed; with `dry_run` nothing is written. Events that a model worded are left, as are those
  /// whose sources are gone. Calls go on meanwhile; one session at a time waits for its own events.
  virtual Result<RepairReport> repair_events(bool dry_run) = 0;

  /// Waits until the queue is empty and every item has its vector, or the time is up (then kTimeout).
  virtual Status drain(std::chrono::milliseconds limit) = 0;

  /// Waits until the embedder is ready or has failed.
  virtual Status wait_ready(std::chrono::milliseconds limit) = 0;

  virtual const Config& config() const = 0;

  /// The engine's clock, by which relative times are read.
  virtual Time now() const = 0;

  /// Writes the whole workspace to a folder, which must be empty or not there, as it was at one moment while others go
  /// on writing. What was acknowledged before the call is in it.
  virtual Result<BackupReport> backup(const std::string& folder) = 0;
  /// Hands all that is kept of a scope to `take`, one JSON object a line without its end: messages, items, profile,
  /// states and other documents. Stops at the first error of `take`.
  virtual Status export_scope(const RequestContext& request,
                              const std::function<Status(std::string_view line)>& take) = 0;

  /// What was counted since the engine was opened, as text that Prometheus reads.
  virtual std::string metrics_text() = 0;
};

/// Puts a backup in the place of a workspace that is empty or not there, and checks it first: kCorrupt where a file is
/// not what the backup's list says, kConflict where the workspace holds something.
Result<BackupReport> restore_backup(const std::string& folder, const std::string& workspace);

}  // namespace weft
