#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/services.h"
#include "weft/engine.h"

namespace weft {

/// An engine in memory for tests of the surfaces: keeps messages by scope and session, recognises known ones by role
/// and text, finds by substring, and weaves what it finds into one system message before the last one. Safe from any
/// thread.
class FakeEngine final : public Engine,
                         private StreamService,
                         private EndService,
                         private PromptService,
                         private TaskService,
                         private CompactionService,
                         private SearchService,
                         private ErasureService,
                         private ProfileService,
                         private StateService,
                         private QuestService,
                         private LoreService,
                         private OperationService,
                         private UsageService {
 public:
  explicit FakeEngine(Config config = {}) : config_(std::move(config)) {}

  Result<ObserveReport> observe(const RequestContext& request, const SessionId& session,
                                std::span<const Message> messages) override;
  Result<SyncReport> sync(const RequestContext& request, const SessionId& session,
                          std::span<const Message> history) override;
  Result<SessionId> conversation_of(const RequestContext& request, std::span<const Message> history,
                                    std::span<const SessionId> busy) override;
  ModelTraits model_traits(const std::string& model) override;
  void learn_model(const std::string& model, const ModelLesson& lesson) override;
  Result<ObserveReport> save(const RequestContext& request, const SessionId& session) override;
  std::string standing_text(const RequestContext&, const SessionId&) override { return {}; }
  Result<WovenContext> context(const RequestContext& request, const SessionId& session,
                               const ContextRequest& what) override;
  Result<SearchResult> search(const RequestContext& request, const SearchRequest& what) override;
  Result<std::vector<StoredMessage>> originals(const RequestContext& request, std::span<const MessageId> ids) override;
  Result<std::vector<StoredMessage>> branch_to(const RequestContext& request, const MessageId& id) override;
  Result<std::vector<StoredMessage>> history(const RequestContext& request, const SessionId& session, std::size_t limit,
                                             std::int64_t before) override;
  Result<std::vector<Item>> items(const RequestContext& request, ItemKind kind, std::size_t limit) override;
  Result<ItemsPage> items(const RequestContext& request, const ItemsWanted& what) override;
  Result<std::vector<JobInfo>> jobs() override;
  Status retry(const JobId& job) override;
  Result<std::size_t> purge_failed(const JobId&) override { return not_faked(); }
  Result<std::size_t> retry_failed() override { return not_faked(); }
  Result<BackupReport> backup(const std::string&) override { return not_faked(); }
  Status export_scope(const RequestContext&, const std::function<Status(std::string_view)>&) override {
    return not_faked();
  }
  EngineStatus status() override;
  Result<RepairReport> repair_events(bool) override { return not_faked(); }
  Status drain(std::chrono::milliseconds) override { return {}; }
  Status wait_ready(std::chrono::milliseconds) override { return {}; }
  const Config& config() const override { return config_; }
  Time now() const override { return message_time; }
  /// Only what others tell.
  std::string metrics_text(bool) override {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const auto& [number, source] : sources_) text += source();
    return text;
  }
  std::uint64_t add_metrics(std::function<std::string()> text) override {
    const std::lock_guard lock(mutex_);
    const std::uint64_t number = sources_.size() + 1;
    sources_[number] = std::move(text);
    return number;
  }
  void remove_metrics(std::uint64_t number) override {
    const std::lock_guard lock(mutex_);
    sources_.erase(number);
  }

  // Not faked: what is tested of these needs the real engine.
  Result<SessionTask> task(const RequestContext&, const SessionId&) override { return not_faked(); }
  Status put_task(const RequestContext&, const SessionId&, const SessionTask&) override { return not_faked(); }
  Result<bool> end_task(const RequestContext&, const SessionId&) override { return not_faked(); }
  Result<std::vector<Preference>> preferences(const RequestContext&) override { return not_faked(); }
  Status put_preferences(const RequestContext&, const std::vector<Preference>&) override { return not_faked(); }
  Result<EndReport> end(const RequestContext&, const SessionId&, const EndRequest&) override { return not_faked(); }
  Result<EndReport> import_summary(const RequestContext&, const std::string&, std::optional<Time>,
                                   const std::string&) override {
    return not_faked();
  }
  Result<EraseReceipt> erase(const RequestContext&, const EraseRequest&) override { return not_faked(); }
  Result<EraseCheck> verify_erasure(const std::string&) override { return not_faked(); }
  Result<std::vector<GroupTrace>> group_traces(const RequestContext&) override { return not_faked(); }
  Result<std::vector<EraseReceipt>> erase_in_groups(const RequestContext&) override { return not_faked(); }
  Result<Profile> profile(const RequestContext&, const EntityKey&) override { return not_faked(); }
  Result<std::vector<ProfileVersion>> profile_history(const RequestContext&, const EntityKey&) override {
    return not_faked();
  }
  Result<Profile> profile_version(const RequestContext&, const EntityKey&, std::uint64_t) override {
    return not_faked();
  }
  Result<Profile> roll_back_profile(const RequestContext&, const EntityKey&, std::uint64_t) override {
    return not_faked();
  }
  Result<Profile> write_profile(const RequestContext&, const EntityKey&, const std::string&) override {
    return not_faked();
  }
  Result<std::string> profile_path(const RequestContext&, const EntityKey&) override { return not_faked(); }
  Result<std::vector<ProfileSummary>> list_profiles(EntityType) override { return not_faked(); }
  Result<StateView> state(const RequestContext&, const std::string&, std::int64_t) override { return not_faked(); }
  Result<Value> state_value(const RequestContext&, const std::string&, std::string_view) override {
    return not_faked();
  }
  Result<StateView> put_state(const RequestContext&, const std::string&, const std::string&,
                              const std::string&) override {
    return not_faked();
  }
  Result<StateView> apply_state(const RequestContext&, const std::string&, const StateChange&) override {
    return not_faked();
  }
  Result<std::vector<StateVersion>> state_log(const RequestContext&, const std::string&, std::size_t,
                                              std::int64_t) override {
    return not_faked();
  }
  Result<StateView> roll_back_state(const RequestContext&, const std::string&, std::int64_t,
                                    const std::string&) override {
    return not_faked();
  }
  Result<std::string> state_schema(const RequestContext&, const std::string&) override { return not_faked(); }
  Status put_state_schema(const RequestContext&, const std::string&, const std::string&, const std::string&) override {
    return not_faked();
  }
  Result<std::vector<Quest>> quests(const RequestContext&) override { return not_faked(); }
  Result<std::vector<Quest>> import_quests(const RequestContext&, const std::string&, const std::string&) override {
    return not_faked();
  }
  Result<std::vector<Quest>> move_quest(const RequestContext&, const std::string&, QuestStatus,
                                        const std::string&) override {
    return not_faked();
  }
  Result<std::vector<Quest>> put_quest(const RequestContext&, const Quest&) override { return not_faked(); }
  Result<std::vector<Quest>> delete_quest(const RequestContext&, const std::string&) override { return not_faked(); }
  Result<std::vector<LoreEntry>> lore(const RequestContext&) override { return not_faked(); }
  Result<LoreEntry> put_lore(const RequestContext&, const LoreEntry&) override { return not_faked(); }
  Result<std::size_t> delete_lore(const RequestContext&, const std::string&, const std::string&) override {
    return not_faked();
  }
  Result<LoreReport> import_lore(const RequestContext&, const std::string&, const std::string&) override {
    return not_faked();
  }
  Result<Compaction> compact(const RequestContext&, const SessionId&, const CompactRequest&) override {
    return not_faked();
  }
  Result<std::vector<Compaction>> compactions(const RequestContext&, const SessionId&) override { return not_faked(); }
  Result<Compaction> undo_compaction(const RequestContext&, const SessionId&) override { return not_faked(); }

  void note_model_call(const ModelCall& call) override {
    const std::lock_guard lock(mutex_);
    model_calls_.push_back(call);
    model_calls_.back().input_text = model_calls_.back().output_text = {};
  }
  Result<std::vector<UsageRow>> usage(const UsageQuery&) override { return not_faked(); }

  // ---- for tests ----

  /// The calls of models that were accounted for, without their texts.
  std::vector<ModelCall> model_calls() const {
    const std::lock_guard lock(mutex_);
    return model_calls_;
  }

  /// From now on every call fails with this error; without one they work again.
  void fail_with(std::optional<Error> error);

  /// Called at the begin of `observe`, on its thread.
  std::function<void()> before_observe;

  SystemMessages system_messages = SystemMessages::kOne;  ///< that every model takes
  std::vector<ContextRequest> asked;    ///< contexts that were asked for

  Time message_time{1'000'000, 0};  ///< the time that messages without one get

  /// "role: text" of the active messages of a session, in order.
  std::vector<std::string> said(const Scope& scope, const std::string& session) const;
  /// All sessions with messages, as "scope/session".
  std::vector<std::string> sessions() const;
  std::vector<Message> messages(const Scope& scope, const std::string& session) const;
  /// Waits until a session has so many messages.
  bool wait_for_messages(const Scope& scope, const std::string& session, std::size_t count) const;
  std::size_t saves() const { return saves_; }

 private:
  const Services& services() const override { return services_; }
  Status broken() const;
  static Error not_faked() { return internal("the fake engine cannot do this"); }
  static std::string key(const Scope& scope, const SessionId& session) {
    return scope.key().str() + "/" + session.str();
  }

  Services with_usage() {
    Services all{this, this, this, this, this, this, this, this, this, this, this, this};
    all.usage = this;
    return all;
  }
  const Services services_ = with_usage();
  Config config_;
  std::vector<ModelCall> model_calls_;
  std::map<std::uint64_t, std::function<std::string()>> sources_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::optional<Error> failure_;
  std::map<std::string, std::vector<StoredMessage>> kept_;
  std::map<std::string, ModelLesson> lessons_;
  std::int64_t sequence_ = 0;
  std::atomic<std::size_t> saves_ = 0;
};

}  // namespace weft
