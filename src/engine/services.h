#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/agent_runs.h"
#include "weft/cognitive.h"
#include "weft/compaction.h"
#include "weft/context.h"
#include "weft/erasure.h"
#include "weft/facets/hindsight.h"
#include "weft/facets/memory.h"
#include "weft/group_traces.h"
#include "weft/growth.h"
#include "weft/knowledge.h"
#include "weft/lore.h"
#include "weft/memory.h"
#include "weft/message.h"
#include "weft/profile.h"
#include "weft/quest.h"
#include "weft/repair.h"
#include "weft/request.h"
#include "weft/result.h"
#include "weft/skills.h"
#include "weft/state.h"
#include "weft/status.h"
#include "weft/stream.h"
#include "weft/task.h"
#include "weft/usage.h"
#include "weft/value.h"
#include "weft/watch.h"

namespace weft {

class ScopeFollower;

// What the facets of the public interface call: one interface a subject, each implemented by the service of the engine
// that has it. What the functions do is told where the facets are (weft/facets/). All are safe from any thread.

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

class KnowledgeService {
 public:
  virtual ~KnowledgeService() = default;
  virtual Result<KnowledgeFile> knowledge(const RequestContext& request) = 0;
  virtual Result<KnowledgeAdded> add_knowledge(const RequestContext& request, const KnowledgeEntry& entry) = 0;
  virtual Result<KnowledgeFile> write_knowledge(const RequestContext& request, const std::string& text, bool force) = 0;
  virtual Result<KnowledgeEntry> confirm_knowledge(const RequestContext& request, const std::string& text) = 0;
};

class DayService {
 public:
  virtual ~DayService() = default;
  virtual Result<std::vector<std::string>> days(const RequestContext& request) = 0;
  virtual Result<Day> day(const RequestContext& request, const std::string& date) = 0;
};

class RuleService {
 public:
  virtual ~RuleService() = default;
  virtual Status take_reflection(const RequestContext& request, const Reflection& reflection) = 0;
  virtual Result<std::vector<Rule>> rules(const RequestContext& request) = 0;
  virtual Result<Rule> change_rule(const RequestContext& request, const std::string& id, const RuleChange& change) = 0;
  virtual Result<std::string> rule_diff(const RequestContext& request, const std::string& id, std::int64_t from,
                                        std::int64_t to) = 0;
  virtual Result<std::vector<Rule>> rules_for(const RequestContext& request, const std::string& task) = 0;
  virtual Status count_report(const RequestContext& request, const TaskReport& report) = 0;
  virtual Result<std::vector<std::string>> rule_problems(const RequestContext& request) = 0;
};

class MutationService {
 public:
  virtual ~MutationService() = default;
  virtual Result<std::vector<Mutation>> mutations(const RequestContext& request) = 0;
  virtual Result<std::vector<Mutation>> propose(const RequestContext& request, const std::string& skill) = 0;
  virtual Result<Mutation> judge_mutation(const RequestContext& request, const std::string& id, bool approve,
                                          const std::string& why) = 0;
  virtual Result<Skill> skill_for(const RequestContext& request, const std::string& skill, const std::string& task) = 0;
};

class AgentService {
 public:
  virtual ~AgentService() = default;
  virtual Result<AgentRun> start(const RequestContext& request, const AgentTask& task) = 0;
  virtual Result<AgentRun> resume(const RequestContext& request, const std::string& run) = 0;
  virtual Result<AgentRun> interrupt(const RequestContext& request, const std::string& run, const std::string& why) = 0;
  virtual Result<AgentRun> say(const RequestContext& request, const std::string& run, const std::string& text) = 0;
  virtual Result<AgentRun> answer(const RequestContext& request, const std::string& run, const AgentAnswer& answer) = 0;
  virtual Result<AgentRun> fork(const RequestContext& request, const std::string& run, std::uint64_t at) = 0;
  virtual Result<AgentRun> show(const RequestContext& request, const std::string& run) = 0;
  virtual Result<std::vector<AgentRun>> list(const RequestContext& request, std::size_t limit,
                                             const std::string& after) = 0;
  virtual Result<std::vector<BusEvent>> events(const RequestContext& request, const std::string& run,
                                               std::uint64_t since, std::chrono::milliseconds wait) = 0;
};

class HindsightService {
 public:
  virtual ~HindsightService() = default;
  virtual Result<Reflection> reflect(const RequestContext& request, const TaskReport& report) = 0;
  virtual Result<ImportedRuns> import_runs(const RequestContext& request, const std::string& text,
                                           const std::string& file, bool learn) = 0;
  virtual Result<Reflection> review(const RequestContext& request, const std::string& day) = 0;
  virtual Result<Reflection> feedback(const RequestContext& request, const std::string& report,
                                      const std::string& text) = 0;
  virtual Result<std::vector<Reflection>> reflections(const RequestContext& request) = 0;
  virtual Result<std::vector<TaskReport>> reports(const RequestContext& request) = 0;
};

class SkillService {
 public:
  virtual ~SkillService() = default;
  virtual Result<std::vector<Skill>> skills(const RequestContext& request) = 0;
  virtual Result<Skill> skill(const RequestContext& request, const std::string& id) = 0;
  virtual Result<Skill> put_skill(const RequestContext& request, const Skill& skill, const std::string& note) = 0;
  virtual Result<Skill> teach_skill(const RequestContext& request, const SkillLesson& lesson) = 0;
  virtual Result<Skill> change_skill(const RequestContext& request, const std::string& id,
                                     const SkillChange& change) = 0;
  virtual Result<std::string> skill_diff(const RequestContext& request, const std::string& id, std::int64_t from,
                                         std::int64_t to) = 0;
  virtual Result<std::vector<SkillMatch>> match_skills(const RequestContext& request, const std::string& task) = 0;
  virtual Result<Skill> import_skill(const RequestContext& request, const SkillFolder& folder) = 0;
  virtual Result<SkillFolder> export_skill(const RequestContext& request, const std::string& id) = 0;
  virtual Status count_skills(const RequestContext& request, const TaskReport& report) = 0;
  virtual Result<std::vector<std::string>> skill_problems(const RequestContext& request) = 0;
};

class BeliefService {
 public:
  virtual ~BeliefService() = default;
  virtual Result<std::vector<Belief>> beliefs(const RequestContext& request) = 0;
  virtual Result<Belief> confirm_belief(const RequestContext& request, const std::string& dimension,
                                        const std::string& value) = 0;
  virtual Result<Belief> reject_belief(const RequestContext& request, const std::string& dimension,
                                       const std::string& value) = 0;
  virtual Result<std::size_t> forget_belief(const RequestContext& request, const std::string& dimension,
                                            const std::string& value) = 0;
  virtual Result<std::vector<Belief>> learn_edit(const RequestContext& request, const std::string& before,
                                                 const std::string& after, const std::string& source) = 0;
  virtual Result<std::vector<std::string>> belief_problems(const RequestContext& request) = 0;
};

class QuestionService {
 public:
  virtual ~QuestionService() = default;
  virtual Result<std::vector<Question>> questions(const RequestContext& request) = 0;
  virtual Result<Question> ask(const RequestContext& request, const Question& question) = 0;
  virtual Result<std::optional<Question>> next_question(const RequestContext& request) = 0;
  virtual Result<Question> answer(const RequestContext& request, const std::string& id, const std::string& text,
                                  const std::string& arguments) = 0;
  virtual Result<Question> withdraw(const RequestContext& request, const std::string& id) = 0;
};

class WatchService {
 public:
  virtual ~WatchService() = default;
  virtual Result<SessionsPage> sessions(const RequestContext& request, const SessionsPlace& from,
                                        std::size_t limit) = 0;
  virtual Result<WatchedTurns> turns(const RequestContext& request, const SessionId& session, std::size_t limit,
                                     std::int64_t before) = 0;
  virtual Result<std::vector<PastContext>> contexts(const RequestContext& request, const SessionId& session,
                                                    std::size_t limit, std::uint64_t before) = 0;
  virtual Result<std::vector<Happening>> happenings(const RequestContext& request, std::uint64_t since,
                                                    std::chrono::milliseconds wait, std::stop_token stop) = 0;
  virtual std::uint64_t follow(const RequestContext& request, std::uint64_t since,
                               std::function<void(const Happening&)> tell) = 0;
  virtual void unfollow(std::uint64_t number) = 0;
  virtual std::uint64_t newest_happening() = 0;
  virtual Result<std::vector<ScopeKey>> scopes() = 0;
  virtual void end_watching() = 0;
};

class UsageService {
 public:
  virtual ~UsageService() = default;
  virtual void note_model_call(const ModelCall& call) = 0;
  virtual Result<std::vector<UsageRow>> usage(const UsageQuery& query) = 0;
};

class ResearchService;  // research_service.h

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
  KnowledgeService* knowledge = nullptr;
  DayService* days = nullptr;
  RuleService* rules = nullptr;
  MutationService* mutations = nullptr;
  AgentService* agents = nullptr;
  HindsightService* hindsight = nullptr;
  SkillService* skills = nullptr;
  BeliefService* beliefs = nullptr;
  QuestionService* questions = nullptr;
  WatchService* watch = nullptr;
  ResearchService* research = nullptr;
  UsageService* usage = nullptr;  ///< may be null: then nothing is accounted for
  ScopeFollower* follower = nullptr;  ///< asked before each call of the others; may be null
};

}  // namespace weft
