#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/background.h"
#include "engine/ends.h"
#include "engine/engine_core.h"
#include "engine/eraser.h"
#include "engine/lore_book.h"
#include "engine/operations.h"
#include "engine/profiles.h"
#include "engine/prompts.h"
#include "engine/quests.h"
#include "engine/said_memory.h"
#include "engine/searcher.h"
#include "engine/states.h"
#include "engine/streams.h"
#include "engine/tasks.h"
#include "engine/workers.h"
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
                               const ContextRequest& what) override {
    return prompts_->context(request, session, what);
  }
  std::string standing_text(const RequestContext& request, const SessionId& session) override {
    return prompts_->standing_text(request, session);
  }
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
                             const CompactRequest& what) override {
    return session_compactions_->compact(request, session, what);
  }
  Result<std::vector<Compaction>> compactions(const RequestContext& request, const SessionId& session) override {
    return session_compactions_->compactions(request, session);
  }
  Result<Compaction> undo_compaction(const RequestContext& request, const SessionId& session) override {
    return session_compactions_->undo_compaction(request, session);
  }
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
  std::unique_ptr<Histories> histories_;
  std::unique_ptr<SessionCompactions> session_compactions_;
  std::unique_ptr<ToolChooser> tools_;
  std::unique_ptr<SkeletonStream> skeletons_;
  std::unique_ptr<TurnPlanner> planner_;
  std::unique_ptr<CurationStream> curations_;
  std::unique_ptr<Prompts> prompts_;
  std::vector<std::unique_ptr<Background>> threads_;  // last: they use all of the above
};

}  // namespace weft
