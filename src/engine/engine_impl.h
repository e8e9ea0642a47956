#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <unordered_set>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/sequence.h"
#include "base/sync.h"
#include "engine/background.h"
#include "engine/compactions.h"
#include "engine/ends.h"
#include "engine/engine_core.h"
#include "engine/eraser.h"
#include "engine/erasure_gate.h"
#include "engine/goals.h"
#include "engine/known_facts.h"
#include "engine/lead_maker.h"
#include "engine/lore_book.h"
#include "engine/model_catalogue.h"
#include "engine/model_change.h"
#include "engine/model_set.h"
#include "engine/operations.h"
#include "engine/profiles.h"
#include "engine/prompt_memory.h"
#include "engine/query_foresight.h"
#include "engine/quests.h"
#include "engine/said_memory.h"
#include "engine/searcher.h"
#include "engine/session_table.h"
#include "engine/session_tasks.h"
#include "engine/states.h"
#include "engine/streams.h"
#include "engine/tasks.h"
#include "engine/workers.h"
#include "flow/compaction/anchors.h"
#include "flow/compaction/compact.h"
#include "flow/context/build_context.h"
#include "flow/context/curate.h"
#include "flow/context/offered_tools.h"
#include "flow/context/planner.h"
#include "flow/context/skeleton.h"
#include "flow/context/tool_index.h"
#include "flow/context/weave_entries.h"
#include "flow/historian/process_end.h"
#include "flow/historian/process_job.h"
#include "flow/historian/said_job.h"
#include "flow/memory/lore_entry.h"
#include "flow/memory/profile_merge.h"
#include "flow/memory/quest_graph.h"
#include "flow/stream/observe.h"
#include "ports/files/end_summaries.h"
#include "ports/files/file.h"
#include "ports/files/file_queue.h"
#include "ports/files/profile_files.h"
#include "ports/files/session_log.h"
#include "weft/engine.h"

namespace weft {

/// What may be given instead of the real thing; tests do.
struct EngineParts {
  std::unique_ptr<Clock> clock;             ///< null: the system's
  std::unique_ptr<Embedder> embedder;       ///< null: as configured
  /// Instead of `embedder`: the configured model and, while it changes, the former one, each by its name. Gives null
  /// for a model that cannot be opened.
  std::function<std::unique_ptr<Embedder>(const std::string& model)> embedders;
  std::shared_ptr<const Similarity> similarity;  ///< null: the embedder's calibration
  std::unique_ptr<ChatModel> historian;     ///< null: the configured model of that role
};

/// The composition root: configuration → ports → flow. Owns everything, and the threads that work in the background:
/// one that embeds, one that changes the embedding model, some that work off the queue, one that closes idle topics.
class EngineImpl final : public Engine {
 public:
  static Result<std::unique_ptr<EngineImpl>> open(const Config& config, EngineParts parts = {});
  ~EngineImpl() override;

  Result<ObserveReport> observe(const RequestContext& request, const SessionId& session,
                                std::span<const Message> messages) override {
    return streams_->observe(request, session, messages);
  }
  Result<SyncReport> sync(const RequestContext& request, const SessionId& session,
                          std::span<const Message> history) override {
    return streams_->sync(request, session, history);
  }
  Result<SessionId> conversation_of(const RequestContext& request, std::span<const Message> history,
                                    std::span<const SessionId> busy) override {
    return streams_->conversation_of(request, history, busy);
  }
  ModelTraits model_traits(const std::string& model) override { return core_.catalogue.of(model); }
  void learn_model(const std::string& model, const ModelLesson& lesson) override {
    core_.catalogue.learn(model, lesson);
  }
  Result<ObserveReport> save(const RequestContext& request, const SessionId& session) override {
    return streams_->save(request, session);
  }
  Result<SessionTask> task(const RequestContext& request, const SessionId& session) override {
    return tasks_->task(request, session);
  }
  Status put_task(const RequestContext& request, const SessionId& session, const SessionTask& task) override {
    return tasks_->put_task(request, session, task);
  }
  Result<bool> end_task(const RequestContext& request, const SessionId& session) override {
    return tasks_->end_task(request, session);
  }
  Result<std::vector<Preference>> preferences(const RequestContext& request) override {
    return tasks_->preferences(request);
  }
  Status put_preferences(const RequestContext& request, const std::vector<Preference>& preferences) override {
    return tasks_->put_preferences(request, preferences);
  }
  Result<WovenContext> context(const RequestContext& request, const SessionId& session,
                               const ContextRequest& what) override;
  std::string standing_text(const RequestContext& request, const SessionId& session) override;
  Result<SearchResult> search(const RequestContext& request, const SearchRequest& what) override {
    return searcher_->search(request, what);
  }
  Result<EndReport> end(const RequestContext& request, const SessionId& session, const EndRequest& what) override {
    return ends_->end(request, session, what);
  }
  Result<EndReport> import_summary(const RequestContext& request, const std::string& summary, std::optional<Time> time,
                                   const std::string& place) override {
    return ends_->import_summary(request, summary, time, place);
  }
  Result<EraseReceipt> erase(const RequestContext& request, const EraseRequest& what) override {
    return eraser_->erase(request, what);
  }
  Result<EraseCheck> verify_erasure(const std::string& receipt_id) override {
    return eraser_->verify_erasure(receipt_id);
  }
  Result<std::vector<GroupTrace>> group_traces(const RequestContext& request) override {
    return eraser_->group_traces(request);
  }
  Result<std::vector<EraseReceipt>> erase_in_groups(const RequestContext& request) override {
    return eraser_->erase_in_groups(request);
  }
  Result<Profile> profile(const RequestContext& request, const EntityKey& entity) override {
    return profiles_->profile(request, entity);
  }
  Result<std::vector<ProfileVersion>> profile_history(const RequestContext& request, const EntityKey& entity) override {
    return profiles_->profile_history(request, entity);
  }
  Result<Profile> profile_version(const RequestContext& request, const EntityKey& entity,
                                  std::uint64_t version) override {
    return profiles_->profile_version(request, entity, version);
  }
  Result<Profile> roll_back_profile(const RequestContext& request, const EntityKey& entity,
                                    std::uint64_t version) override {
    return profiles_->roll_back_profile(request, entity, version);
  }
  Result<Profile> write_profile(const RequestContext& request, const EntityKey& entity,
                                const std::string& body) override {
    return profiles_->write_profile(request, entity, body);
  }
  Result<std::string> profile_path(const RequestContext& request, const EntityKey& entity) override {
    return profiles_->profile_path(request, entity);
  }
  Result<std::vector<ProfileSummary>> list_profiles(EntityType type) override { return profiles_->list_profiles(type); }
  Result<std::vector<StoredMessage>> originals(const RequestContext& request, std::span<const MessageId> ids) override {
    return searcher_->originals(request, ids);
  }
  Result<std::vector<StoredMessage>> history(const RequestContext& request, const SessionId& session,
                                             std::size_t limit) override {
    return searcher_->history(request, session, limit);
  }
  Result<std::vector<Item>> items(const RequestContext& request, ItemKind kind, std::size_t limit) override {
    return searcher_->items(request, kind, limit);
  }
  Result<StateView> state(const RequestContext& request, const std::string& name, std::int64_t version) override {
    return states_->state(request, name, version);
  }
  Result<StateView> put_state(const RequestContext& request, const std::string& name, const std::string& json,
                              const std::string& author) override {
    return states_->put_state(request, name, json, author);
  }
  Result<StateView> apply_state(const RequestContext& request, const std::string& name,
                                const StateChange& change) override {
    return states_->apply_state(request, name, change);
  }
  Result<std::vector<StateVersion>> state_log(const RequestContext& request, const std::string& name,
                                              std::size_t limit) override {
    return states_->state_log(request, name, limit);
  }
  Result<StateView> roll_back_state(const RequestContext& request, const std::string& name, std::int64_t version,
                                    const std::string& author) override {
    return states_->roll_back_state(request, name, version, author);
  }
  Result<std::string> state_schema(const RequestContext& request, const std::string& name) override {
    return states_->state_schema(request, name);
  }
  Status put_state_schema(const RequestContext& request, const std::string& name, const std::string& schema,
                          const std::string& author) override {
    return states_->put_state_schema(request, name, schema, author);
  }
  Result<std::vector<Quest>> quests(const RequestContext& request) override { return quests_->quests(request); }
  Result<std::vector<Quest>> import_quests(const RequestContext& request, const std::string& text,
                                           const std::string& file) override {
    return quests_->import_quests(request, text, file);
  }
  Result<std::vector<Quest>> move_quest(const RequestContext& request, const std::string& id, QuestStatus status,
                                        const std::string& note) override {
    return quests_->move_quest(request, id, status, note);
  }
  Result<std::vector<Quest>> put_quest(const RequestContext& request, const std::string& json) override {
    return quests_->put_quest(request, json);
  }
  Result<std::vector<Quest>> delete_quest(const RequestContext& request, const std::string& id) override {
    return quests_->delete_quest(request, id);
  }
  Result<std::vector<LoreEntry>> lore(const RequestContext& request) override { return lore_->lore(request); }
  Result<LoreEntry> put_lore(const RequestContext& request, const LoreEntry& entry) override {
    return lore_->put_lore(request, entry);
  }
  Result<std::size_t> delete_lore(const RequestContext& request, const std::string& id,
                                  const std::string& source) override {
    return lore_->delete_lore(request, id, source);
  }
  Result<LoreReport> import_lore(const RequestContext& request, const std::string& bytes,
                                 const std::string& file) override {
    return lore_->import_lore(request, bytes, file);
  }
  Result<Compaction> compact(const RequestContext& request, const SessionId& session,
                             const CompactRequest& what) override;
  Result<std::vector<Compaction>> compactions(const RequestContext& request, const SessionId& session) override;
  Result<Compaction> undo_compaction(const RequestContext& request, const SessionId& session) override;
  Result<std::vector<JobInfo>> jobs() override { return operations_->jobs(); }
  Status retry(const JobId& job) override { return operations_->retry(job); }
  Result<std::size_t> retry_failed() override { return operations_->retry_failed(); }
  Result<BackupReport> backup(const std::string& folder) override { return operations_->backup(folder); }
  Status export_scope(const RequestContext& request,
                      const std::function<Status(std::string_view line)>& take) override {
    return operations_->export_scope(request, take);
  }
  Result<std::size_t> purge_failed(const JobId& job) override { return operations_->purge_failed(job); }
  EngineStatus status() override { return operations_->status(); }
  Result<RepairReport> repair_events(bool dry_run) override { return operations_->repair_events(dry_run); }
  Status drain(std::chrono::milliseconds limit) override { return operations_->drain(limit); }
  Status wait_ready(std::chrono::milliseconds limit) override { return operations_->wait_ready(limit); }
  const Config& config() const override { return core_.config; }
  Time now() const override { return core_.clock->now(); }
  std::string metrics_text() override { return operations_->metrics_text(); }

  /// The models, for surfaces that answer with the local one.
  ModelSet& models() { return *core_.models; }
  /// Looks for idle topics now; a test's clock cannot wake a sleeping thread.
  void check_idle() { (void)streams_->close_idle({}); }
  const Metrics& metrics() const { return core_.metrics; }

 private:
  explicit EngineImpl(Config config) : core_(std::move(config)) {}
  Status open_parts(EngineParts parts);
  void start_threads();
  Status open_embedder(EngineParts& parts);

  Result<ContextInput> context_input(const RequestContext& request, const SessionId& session,
                                     const ContextRequest& what);
  Status load_history(const std::string& scope, const SessionId& session, ContextInput& input);
  Status recognise_history(const std::string& scope, const SessionId& session, const std::vector<Message>& history,
                           ContextInput& input);
  ContextPorts context_ports(const std::string& scope, const SessionId& session, const std::string& model);
  std::vector<std::string> originals_of(const std::string& scope, const SessionId& session,
                                        std::span<const MessageId> ids);
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
  void log_compaction(const std::string& scope, const SessionId& session, const Compaction& record);
  Status write_session_log(const std::string& scope, const SessionId& session);
  void promote(const Scope& scope, const SessionId& session, const Compaction& record);
  std::int64_t window_of(std::int64_t asked, const std::string& model) const;
  std::shared_ptr<const LiveCompaction> compaction_for(const std::string& scope, const SessionId& session);
  static void apply_compaction(const LiveCompaction& live, ContextInput& input);
  Result<bool> compact_if_needed(const RequestContext& request, const SessionId& session, const ContextRequest& what,
                                 const ContextPorts& ports, ContextInput& input);
  Result<bool> compact_now(const RequestContext& request, const SessionId& session, const CompactWish& wish,
                           bool at_once);
  void check_compacted(const SessionId& session, BuiltContext& built);
  void prepare_compaction(CompactionJob job);
  Result<Compacted> take_prepared(const std::string& scope, const SessionId& session);
  void embed_tools(std::stop_token stop);
  std::optional<std::chrono::milliseconds> work_off_compactions(std::stop_token stop);
  /// What a turn is planned from.
  struct PlanScene {
    StoryScope story;
    std::string key, state, input;
    std::string state_home;  ///< whose state it is, the scope's own or its world's
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
  CurateOptions curate_options() const;
  Result<PlanScene> plan_scene(const RequestContext& request, const SessionId& session, const ContextRequest& what,
                               const ContextInput& input);
  std::shared_ptr<const KnownNames> names_for(const PlanScene& scene);
  Result<PlannerDecision> decide(const std::string& scope, const PlanScene& scene, const ContextRequest& what,
                                 bool numbers, const Deadline& deadline);
  Result<std::optional<WovenContext>> plan_turn(const RequestContext& request, const SessionId& session,
                                                const ContextRequest& what, const ContextInput& input,
                                                const Deadline& deadline, PlanScene& scene,
                                                std::optional<PlannerDecision>& decision);
  Result<WovenContext> answer_at_once(const RequestContext& request, const PlanScene& scene, PlannerDecision decision);
  Status open_streams(const RequestContext& request, const SessionId& session, PlanScene& scene,
                      const ContextRequest& what, const PlannerDecision& decision, const Deadline& caller,
                      ContextPorts& ports, ContextInput& input);
  std::string state_guide(const PlanScene& scene, const ContextInput& input);
  static std::string notice_block(const PlanScene& scene, const PlannerDecision& decision);
  std::string standing_story(const PlanScene& scene) const;
  Result<std::string> render_skeleton(const PlanScene& scene, const PlanContext& plan);
  Result<std::string> shorter_skeleton(const PlanScene& scene, const PlanContext& plan, std::int64_t tokens);
  Result<SearchResult> search_story(const StoryScope& scope, const SearchRequest& search, const Deadline& deadline);
  std::shared_ptr<PendingCuration> start_curation(const RequestContext& request, const SessionId& session,
                                                  const PlanScene& scene, const ContextInput& input,
                                                  const PlanContext& plan);
  void add_called_lore(const PlanScene& scene, EntriesToWeave& entries, Curated& report) const;
  Curated collect_curation(PendingCuration* pending, const PlanScene& scene, const CurationRoom& room, bool skein,
                           const Deadline& deadline);
  OfferedTools described_tools(const std::string& key, const ContextRequest& what, const ContextInput& input,
                               const ToolIndex& index, const ToolIndex::Models& models, const Deadline& deadline);
  void choose_tools(const std::string& key, const ContextRequest& what, ContextInput& input, const Deadline& deadline);
  static std::string skein_of(const BuiltContext& built);
  std::vector<AnchorSource> workspace_files();
  std::vector<Anchor> workspace_anchors();
  std::string workspace_rules();
  Status add_what_is_known(const RequestContext& request, const ContextRequest& what, ContextInput& input);
  void add_standing_blocks(const std::string& key, ContextInput& input);
  void note_prefix(const std::string& key, const ContextInput& input, BuiltContext& built);
  std::vector<std::string> summaries_before(const std::string& scope, const SessionId& session, std::int64_t seq);

  Result<std::vector<std::string>> old_summaries(const RequestContext& request);

  EngineCore core_;
  std::unique_ptr<Profiles> profiles_;
  std::unique_ptr<Searcher> searcher_;
  std::unique_ptr<Tasks> tasks_;
  std::unique_ptr<Ends> ends_;
  std::unique_ptr<SaidMemory> said_;
  std::unique_ptr<Operations> operations_;
  std::unique_ptr<Workers> workers_;
  std::unique_ptr<LeadMaker> leads_;  ///< null: running summaries are made without a model
  std::unique_ptr<States> states_;
  std::unique_ptr<Quests> quests_;
  std::unique_ptr<LoreBook> lore_;
  std::unique_ptr<Streams> streams_;
  std::unique_ptr<Eraser> eraser_;
  std::unique_ptr<Compactions> compactions_;
  std::mutex session_log_mutex_;  ///< held from counting its lines to adding what is missing
  Sync<std::deque<CompactionJob>> to_compact_;
  Sync<std::map<std::pair<std::string, std::string>, Compacted>> prepared_;  ///< by scope and session, not in use yet
  static constexpr std::size_t kSessionsPlanned = 1024;
  std::unique_ptr<Skeleton> skeleton_;
  Sync<std::map<std::string, PlanContext>> plans_;  ///< the last one of each session
  ToolIndexes tool_indexes_;
  Sync<std::vector<std::shared_ptr<ToolIndex>>> tools_to_embed_;
  std::unique_ptr<Curator> curator_;  ///< its work uses what stands above
  std::vector<std::unique_ptr<Background>> threads_;  // last: they use all of the above
};

}  // namespace weft
