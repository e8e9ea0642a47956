#pragma once

#include <array>
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
#include "engine/known_facts.h"
#include "engine/model_change.h"
#include "engine/model_set.h"
#include "engine/prompt_memory.h"
#include "engine/session_table.h"
#include "flow/context/build_context.h"
#include "flow/historian/process_end.h"
#include "flow/historian/process_job.h"
#include "flow/memory/profile_merge.h"
#include "flow/stream/observe.h"
#include "ports/files/end_summaries.h"
#include "ports/files/file.h"
#include "ports/files/file_queue.h"
#include "ports/files/profile_files.h"
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
                                std::span<const Message> messages) override;
  Result<SyncReport> sync(const RequestContext& request, const SessionId& session,
                          std::span<const Message> history) override;
  Result<ObserveReport> save(const RequestContext& request, const SessionId& session) override;
  Result<WovenContext> context(const RequestContext& request, const SessionId& session,
                               const ContextRequest& what) override;
  Result<SearchResult> search(const RequestContext& request, const SearchRequest& what) override;
  Result<EndReport> end(const RequestContext& request, const SessionId& session, const EndRequest& what) override;
  Result<EndReport> import_summary(const RequestContext& request, const std::string& summary, std::optional<Time> time,
                                   const std::string& place) override;
  Result<EraseReceipt> erase(const RequestContext& request, const EraseRequest& what) override;
  Result<EraseCheck> verify_erasure(const std::string& receipt_id) override;
  Result<Profile> profile(const RequestContext& request, const EntityKey& entity) override;
  Result<std::vector<ProfileVersion>> profile_history(const RequestContext& request, const EntityKey& entity) override;
  Result<Profile> profile_version(const RequestContext& request, const EntityKey& entity,
                                  std::uint64_t version) override;
  Result<Profile> roll_back_profile(const RequestContext& request, const EntityKey& entity,
                                    std::uint64_t version) override;
  Result<Profile> write_profile(const RequestContext& request, const EntityKey& entity,
                                const std::string& body) override;
  Result<std::string> profile_path(const RequestContext& request, const EntityKey& entity) override;
  Result<std::vector<ProfileSummary>> list_profiles(EntityType type) override;
  Result<std::vector<StoredMessage>> originals(const RequestContext& request, std::span<const MessageId> ids) override;
  Result<std::vector<StoredMessage>> history(const RequestContext& request, const SessionId& session,
                                             std::size_t limit) override;
  Result<std::vector<Item>> items(const RequestContext& request, ItemKind kind, std::size_t limit) override;
  Result<std::vector<JobInfo>> jobs() override;
  Status retry(const JobId& job) override;
  Result<std::size_t> purge_failed(const JobId& job) override;
  EngineStatus status() override;
  Status drain(std::chrono::milliseconds limit) override;
  Status wait_ready(std::chrono::milliseconds limit) override;
  const Config& config() const override { return config_; }
  Time now() const override { return clock_->now(); }
  std::string metrics_text() override;

  /// The models, for surfaces that answer with the local one.
  ModelSet& models() { return *models_; }
  /// Looks for idle topics now; a test's clock cannot wake a sleeping thread.
  void check_idle() { (void)close_idle({}); }
  const Metrics& metrics() const { return metrics_; }

 private:
  explicit EngineImpl(Config config) : config_(std::move(config)) {}
  Status open_parts(EngineParts parts);
  void start_threads();
  Status open_embedder(EngineParts& parts);
  StreamPorts stream_ports(const Serving& serving);
  HistorianPorts historian_ports();
  ChatModel* historian() const { return given_historian_ ? given_historian_.get() : models_->chat("historian"); }

  using MakeChange = std::function<Status(const StreamPorts& ports, SessionState& state, StreamChange& change)>;
  Status change_stream(SessionTable::Held& held, const Deadline& deadline, StreamChange& change,
                       const MakeChange& make);
  Result<bool> keep(const Serving& serving, SessionTable::Held& held, StreamChange& change);
  Status rewind_if_left(SessionTable::Held& held, const RequestContext& request, std::span<const std::uint64_t> digests,
                        SyncReport& report);
  Status reactivate_items(const SessionState& state, std::span<const Incoming> incoming, StreamChange& change);
  void queue_topics(std::span<const TopicRow> topics);
  Status recover_topics();
  static std::string prompt_key(const std::string& scope, const SessionId& session);
  Result<ContextInput> context_input(const RequestContext& request, const SessionId& session,
                                     const ContextRequest& what);
  std::string workspace_rules();
  void note_prefix(const std::string& key, std::uint64_t user_message, BuiltContext& built);
  Result<SearchResult> search_scope(const std::string& scope, const SearchRequest& what, const Deadline& deadline);
  Result<SearchResult> search_with(Serving& serving, const std::string& scope, const SearchRequest& what,
                                   const Deadline& deadline);
  std::vector<std::string> summaries_before(const std::string& scope, const SessionId& session, std::int64_t seq);

  std::optional<std::chrono::milliseconds> embed_items(std::stop_token stop);
  std::optional<std::chrono::milliseconds> change_model(std::stop_token stop);
  std::optional<std::chrono::milliseconds> work_off_queue(std::stop_token stop);
  std::optional<std::chrono::milliseconds> close_idle(std::stop_token stop);
  Status work_off(const Job& job, std::stop_token stop);
  Status work_off_topic(const Job& job, std::stop_token stop);
  Result<Wording> word_topic(const TopicKey& key, std::stop_token stop);
  Status rebuild_topics(const std::string& scope, const SessionId& session,
                        const std::unordered_set<std::int64_t>& seqs, WriteBatch& batch, std::vector<TopicRow>& again);
  Status mend_session(const std::string& scope, const SessionId& session, const std::vector<MessageRow>& all,
                      const std::unordered_set<std::int64_t>& seqs, WriteBatch& batch);
  Status gather_texts(const std::string& scope, const std::unordered_set<std::string>& gone,
                      std::vector<std::string>& probes);
  Result<std::size_t> erase_profiles(const RequestContext& request, const std::unordered_set<std::string>& events,
                                     bool everything);
  std::optional<ItemRow> sender_view(const EndJob& end, const ItemRow& event);
  Status work_off_end(const Job& job, std::stop_token stop);
  Status keep_written(WriteBatch& batch);
  EndJob end_job_of(const RequestContext& request, const SessionId& session, const EndRequest& what,
                    const std::vector<MessageRow>& recent) const;
  Status queue_end(EndJob& end);
  Status claim_infos(const EndJob& end);
  void release_infos(const EndJob& end);
  Result<std::vector<JobId>> erase_jobs(const std::function<bool(const Job&)>& wanted);
  void recover_open_infos();
  struct WordedProfile {
    std::string before, after;  // what the model was given, and what it made of it
  };
  WordedProfile word_profile(const EntityKey& entity, const ProfileInfo& info, const ProfileSubject& subject,
                             std::stop_token stop);
  Status update_profile(const EndJob& end, ItemRow& event, WriteBatch& batch, std::stop_token stop);
  Status supersede(const EndJob& end, ItemRow& event, const std::vector<std::string>& old_events, WriteBatch& batch);
  Result<ItemRow> profile_item(const std::string& scope, const Profile& profile);
  Status index_profile(const Profile& profile);
  std::vector<ProfileText> profiles_for(const RequestContext& request);
  Result<std::vector<std::string>> old_summaries(const RequestContext& request);

  Config config_;
  std::optional<WorkspaceLock> lock_;
  std::unique_ptr<Clock> clock_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<FileQueue> queue_;
  std::unique_ptr<ProfileFiles> profiles_;
  std::unique_ptr<EndSummaries> end_summaries_;
  std::unique_ptr<ModelSet> models_;
  std::unique_ptr<ChatModel> given_historian_;
  std::unique_ptr<KnownFacts> facts_;
  std::unique_ptr<SessionTable> sessions_;
  std::unique_ptr<ModelChange> change_;
  PromptMemory prompts_;
  Sequence seqs_, rows_;
  Metrics metrics_;
  std::array<std::mutex, 64> end_locks_;
  std::shared_mutex work_gate_;  ///< shared by those who work jobs off, held alone while something is erased
  Sync<std::set<std::string>> open_infos_;  ///< marks of messages whose new information waits in the queue
  std::vector<std::unique_ptr<Background>> threads_;  // last: they use all of the above
  Background* indexer_ = nullptr;
  Background* idle_ = nullptr;
  std::vector<Background*> historians_;
};

}  // namespace weft
