#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/cognitive.h"
#include "weft/compaction.h"
#include "weft/context.h"
#include "weft/erasure.h"
#include "weft/facets/memory.h"
#include "weft/group_traces.h"
#include "weft/lore.h"
#include "weft/memory.h"
#include "weft/message.h"
#include "weft/profile.h"
#include "weft/quest.h"
#include "weft/repair.h"
#include "weft/request.h"
#include "weft/result.h"
#include "weft/state.h"
#include "weft/status.h"
#include "weft/stream.h"
#include "weft/task.h"
#include "weft/usage.h"
#include "weft/value.h"

namespace weft {

class Adaptation;
class Agents;
class Answers;
class Diaries;
class Knowledge;
class Reflections;
class Researches;
class Rules;
class ScopeFollower;
class Skills;
class Watcher;

// What the facets of the public interface call: one class a subject. There is an interface where tests of the surfaces
// put another thing in its place. What the functions do is said where the facets are (weft/facets/). All are safe from
// any thread.

class StreamService {
 public:
  virtual ~StreamService() = default;
  virtual Result<ObserveReport> observe(const RequestContext& request, const SessionId& session,
                                        std::span<const Message> messages) = 0;
  virtual Result<SyncReport> sync(const RequestContext& request, const SessionId& session,
                                  std::span<const Message> history) = 0;
  virtual Result<SessionId> conversation_of(const RequestContext& request, std::span<const Message> history,
                                            std::span<const SessionId> busy) = 0;
  virtual Result<ObserveReport> save(const RequestContext& request, const SessionId& session) = 0;
};

class EndService {
 public:
  virtual ~EndService() = default;
  virtual Result<EndReport> end(const RequestContext& request, const SessionId& session, const EndRequest& what) = 0;
  virtual Result<EndReport> import_summary(const RequestContext& request, const std::string& summary,
                                           std::optional<Time> time, const std::string& place) = 0;
};

class PromptService {
 public:
  virtual ~PromptService() = default;
  virtual Result<WovenContext> context(const RequestContext& request, const SessionId& session,
                                       const ContextRequest& what) = 0;
  virtual std::string standing_text(const RequestContext& request, const SessionId& session) = 0;
};

class TaskService {
 public:
  virtual ~TaskService() = default;
  virtual Result<SessionTask> task(const RequestContext& request, const SessionId& session) = 0;
  virtual Status put_task(const RequestContext& request, const SessionId& session, const SessionTask& task) = 0;
  virtual Result<bool> end_task(const RequestContext& request, const SessionId& session) = 0;
  virtual Result<std::vector<Preference>> preferences(const RequestContext& request) = 0;
  virtual Status put_preferences(const RequestContext& request, const std::vector<Preference>& preferences) = 0;
};

class CompactionService {
 public:
  virtual ~CompactionService() = default;
  virtual Result<Compaction> compact(const RequestContext& request, const SessionId& session,
                                     const CompactRequest& what) = 0;
  virtual Result<std::vector<Compaction>> compactions(const RequestContext& request, const SessionId& session) = 0;
  virtual Result<Compaction> undo_compaction(const RequestContext& request, const SessionId& session) = 0;
};

class SearchService {
 public:
  virtual ~SearchService() = default;
  virtual Result<SearchResult> search(const RequestContext& request, const SearchRequest& what) = 0;
  virtual Result<std::vector<StoredMessage>> originals(const RequestContext& request,
                                                       std::span<const MessageId> ids) = 0;
  virtual Result<std::vector<StoredMessage>> branch_to(const RequestContext& request, const MessageId& id) = 0;
  virtual Result<std::vector<StoredMessage>> history(const RequestContext& request, const SessionId& session,
                                                     std::size_t limit, std::int64_t before) = 0;
  virtual Result<std::vector<Item>> items(const RequestContext& request, ItemKind kind, std::size_t limit) = 0;
  virtual Result<ItemsPage> items(const RequestContext& request, const ItemsWanted& what) = 0;
};

class ErasureService {
 public:
  virtual ~ErasureService() = default;
  virtual Result<EraseReceipt> erase(const RequestContext& request, const EraseRequest& what) = 0;
  virtual Result<EraseCheck> verify_erasure(const std::string& receipt_id) = 0;
  virtual Result<std::vector<GroupTrace>> group_traces(const RequestContext& request) = 0;
  virtual Result<std::vector<EraseReceipt>> erase_in_groups(const RequestContext& request) = 0;
};

class ProfileService {
 public:
  virtual ~ProfileService() = default;
  virtual Result<Profile> profile(const RequestContext& request, const EntityKey& entity) = 0;
  virtual Result<std::vector<ProfileVersion>> profile_history(const RequestContext& request,
                                                              const EntityKey& entity) = 0;
  virtual Result<Profile> profile_version(const RequestContext& request, const EntityKey& entity,
                                          std::uint64_t version) = 0;
  virtual Result<Profile> roll_back_profile(const RequestContext& request, const EntityKey& entity,
                                            std::uint64_t version) = 0;
  virtual Result<Profile> write_profile(const RequestContext& request, const EntityKey& entity,
                                        const std::string& body) = 0;
  virtual Result<std::string> profile_path(const RequestContext& request, const EntityKey& entity) = 0;
  virtual Result<std::vector<ProfileSummary>> list_profiles(EntityType type) = 0;
};

class StateService {
 public:
  virtual ~StateService() = default;
  virtual Result<StateView> state(const RequestContext& request, const std::string& name, std::int64_t version) = 0;
  virtual Result<Value> state_value(const RequestContext& request, const std::string& name, std::string_view path) = 0;
  virtual Result<StateView> put_state(const RequestContext& request, const std::string& name, const std::string& json,
                                      const std::string& author) = 0;
  virtual Result<StateView> apply_state(const RequestContext& request, const std::string& name,
                                        const StateChange& change) = 0;
  virtual Result<std::vector<StateVersion>> state_log(const RequestContext& request, const std::string& name,
                                                      std::size_t limit, std::int64_t before) = 0;
  virtual Result<StateView> roll_back_state(const RequestContext& request, const std::string& name,
                                            std::int64_t version, const std::string& author) = 0;
  virtual Result<std::string> state_schema(const RequestContext& request, const std::string& name) = 0;
  virtual Status put_state_schema(const RequestContext& request, const std::string& name, const std::string& schema,
                                  const std::string& author) = 0;
};

class QuestService {
 public:
  virtual ~QuestService() = default;
  virtual Result<std::vector<Quest>> quests(const RequestContext& request) = 0;
  virtual Result<std::vector<Quest>> import_quests(const RequestContext& request, const std::string& text,
                                                   const std::string& file) = 0;
  virtual Result<std::vector<Quest>> move_quest(const RequestContext& request, const std::string& id,
                                                QuestStatus status, const std::string& note) = 0;
  virtual Result<std::vector<Quest>> put_quest(const RequestContext& request, const Quest& quest) = 0;
  virtual Result<std::vector<Quest>> delete_quest(const RequestContext& request, const std::string& id) = 0;
};

class LoreService {
 public:
  virtual ~LoreService() = default;
  virtual Result<std::vector<LoreEntry>> lore(const RequestContext& request) = 0;
  virtual Result<LoreEntry> put_lore(const RequestContext& request, const LoreEntry& entry) = 0;
  /// The entry with that id, or all of the file `source` where `id` is empty.
  virtual Result<std::size_t> delete_lore(const RequestContext& request, const std::string& id,
                                          const std::string& source) = 0;
  virtual Result<LoreReport> import_lore(const RequestContext& request, const std::string& bytes,
                                         const std::string& file) = 0;
};

class OperationService {
 public:
  virtual ~OperationService() = default;
  virtual EngineStatus status() = 0;
  virtual Status drain(std::chrono::milliseconds limit) = 0;
  virtual Status wait_ready(std::chrono::milliseconds limit) = 0;
  virtual Result<std::vector<JobInfo>> jobs() = 0;
  virtual Status retry(const JobId& job) = 0;
  virtual Result<std::size_t> retry_failed() = 0;
  virtual Result<std::size_t> purge_failed(const JobId& job) = 0;
  virtual Result<BackupReport> backup(const std::string& folder) = 0;
  virtual Status export_scope(const RequestContext& request,
                              const std::function<Status(std::string_view line)>& take) = 0;
  virtual Result<RepairReport> repair_events(bool dry_run) = 0;
  virtual std::string metrics_text(bool names) = 0;
  /// Adds a source of metrics, until `remove_metrics` is called with the number that it gives.
  virtual std::uint64_t add_metrics(std::function<std::string()>) { return 0; }
  virtual void remove_metrics(std::uint64_t) {}
};

class UsageService {
 public:
  virtual ~UsageService() = default;
  virtual void note_model_call(const ModelCall& call) = 0;
  virtual Result<std::vector<UsageRow>> usage(const UsageQuery& query) = 0;
};

/// All of them; none is null while a facet can be made.
struct Services {
  StreamService* streams = nullptr;
  EndService* ends = nullptr;
  PromptService* prompts = nullptr;
  TaskService* tasks = nullptr;
  CompactionService* compactions = nullptr;
  SearchService* search = nullptr;
  ErasureService* erasure = nullptr;
  ProfileService* profiles = nullptr;
  StateService* states = nullptr;
  QuestService* quests = nullptr;
  LoreService* lore = nullptr;
  OperationService* operations = nullptr;
  Knowledge* knowledge = nullptr;
  Diaries* days = nullptr;
  Rules* rules = nullptr;
  Agents* agents = nullptr;
  Reflections* hindsight = nullptr;
  Skills* skills = nullptr;
  Adaptation* beliefs = nullptr;
  Answers* questions = nullptr;
  Watcher* watch = nullptr;
  Researches* research = nullptr;
  UsageService* usage = nullptr;  ///< may be null: then nothing is accounted for
  ScopeFollower* follower = nullptr;  ///< asked before each call of the others; may be null
};

}  // namespace weft
