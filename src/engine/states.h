#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/threads.h"
#include "flow/context/build_context.h"
#include "flow/context/planner.h"
#include "flow/context/state_target.h"
#include "flow/memory/lore_entry.h"
#include "flow/memory/state_tree.h"
#include "flow/stream/observe.h"
#include "model/job.h"
#include "ports/store/store.h"
#include "text/json.h"
#include "weft/config.h"
#include "weft/quest.h"
#include "weft/request.h"
#include "weft/result.h"
#include "weft/state.h"
#include "weft/value.h"

namespace weft {

/// Whose story it is: the scope's own, over that of the world it plays in.
struct StoryScope {
  ScopeKey own;
  ScopeKey world;  ///< empty: none

  friend bool operator==(const StoryScope&, const StoryScope&) = default;
  friend auto operator<=>(const StoryScope&, const StoryScope&) = default;
};

/// The lore of a story, ready to be called up by its keys.
struct LoreShelf {
  static std::int64_t next_number();
  explicit LoreShelf(std::vector<LoreEntry> all);
  const LoreEntry* find(const std::string& id) const;

  /// Whether an entry is looked for by what it says: it is used, has no keys, and does not stand anyway.
  static bool is_searched(const LoreEntry& entry) { return entry.enabled && !entry.constant && entry.keys.empty(); }

  const std::vector<LoreEntry> entries;
  const LoreTriggers triggers;
  std::size_t unsearched = 0;  ///< entries that a search must not give
  const std::int64_t number = next_number();  ///< another one each time lore is read
};

/// What the planner and the skeleton need of one version of a state.
struct StateFacts {
  std::int64_t version = 0;
  StateIndex index;

  /// The tree of that version as the templates write it; written once. Errors as `skeleton_state`. Safe from many
  /// threads; the text lives as long as this.
  Result<std::string_view> yaml(const Value& root) const;

 private:
  mutable std::mutex mutex_;
  mutable std::optional<std::string> yaml_;
};

/// What is made once from lore and states and used by many prompts; a cache, so it may forget. Safe from many threads.
class StoryShelf {
 public:
  /// Taken before lore is read that is put in later, so that nothing comes in that was read before it changed.
  std::uint64_t ticket() const { return changes_; }

  /// What was put in last, null where there is nothing or it was forgotten.
  std::shared_ptr<const LoreShelf> lore(const StoryScope& scope);
  void put_lore(const StoryScope& scope, std::shared_ptr<const LoreShelf> lore, std::uint64_t ticket);

  /// What was last known of a state, of whichever version.
  std::shared_ptr<const StateFacts> state(const ScopeKey& scope, const std::string& name);
  void put_state(const ScopeKey& scope, const std::string& name, std::shared_ptr<const StateFacts> facts);

  /// The names that may be spoken of, as long as `origin`, which says what they were made from, is the same.
  std::shared_ptr<const KnownNames> names(const ScopeKey& scope, const std::string& origin);
  void put_names(const ScopeKey& scope, const std::string& origin, std::shared_ptr<const KnownNames> names);

  void forget(const ScopeKey& scope);
  /// Of a scope or a world, and of all who play in it.
  void forget_lore(const ScopeKey& scope);

 private:
  std::atomic<std::uint64_t> changes_{0};
  Sync<std::map<StoryScope, std::shared_ptr<const LoreShelf>>> lore_;
  Sync<std::map<std::pair<ScopeKey, std::string>, std::shared_ptr<const StateFacts>>> states_;
  Sync<std::map<ScopeKey, std::pair<std::string, std::shared_ptr<const KnownNames>>>> names_;
};

/// The states of all scopes: a log of changes in the store, with a snapshot from time to time, and the trees that were
/// used last in memory. A change is on disk before it is answered. Safe from many threads; changes of one state come
/// one after the other.
class StateShelf {
 public:
  /// `versions_kept` of each state stay for rollback; 0: all.
  StateShelf(Store& store, const StateSettings& settings, std::int64_t versions_kept)
      : store_(store), settings_(settings), versions_kept_(versions_kept) {}

  /// Hands the newest tree, its version and its time to `look`, which must not call back. Version 0: never written.
  using Look = std::function<Status(const StateTree& tree, std::int64_t version, Time time)>;
  Status read(const ScopeKey& scope, const std::string& name, const Look& look);

  /// The tree after a version, 0 for the newest. kNotFound for one that there is not.
  Result<StateView> at(const ScopeKey& scope, const std::string& name, std::int64_t version);

  /// All of the change or nothing. The answer has no tree. Where a change of the same request was made before it says
  /// so and changes nothing.
  Result<StateView> apply(const ScopeKey& scope, const std::string& name, const StateChange& change, Time now);
  /// Whether `apply` would take a change. Changes nothing.
  Status check(const ScopeKey& scope, const std::string& name, const StateChange& change);

  /// What a request of that id changed before, in whichever state of the scope; nothing where it did not.
  Result<std::optional<StateView>> made_before(const ScopeKey& scope, const std::string& request_id);

  /// Puts a former version back, as one more version. The answer has no tree.
  Result<StateView> roll_back(const ScopeKey& scope, const std::string& name, std::int64_t version,
                              const std::string& author, Time now);

  /// The schema that changes have to keep to; empty where there is none.
  Result<std::string> schema(const ScopeKey& scope, const std::string& name);

  /// Sets it, or lifts it where it is empty. kInvalidArgument where it is none, or the state as it is breaks it.
  Status put_schema(const ScopeKey& scope, const std::string& name, const std::string& schema,
                    const std::string& author, Time now);

  /// Versions, oldest first, the newest `limit` of them that are older than `before`; 0: of all.
  Result<std::vector<StateVersion>> log(const ScopeKey& scope, const std::string& name, std::size_t limit,
                                        std::int64_t before);

  /// Drops what is in memory of a scope.
  void forget(const ScopeKey& scope);

 private:
  struct Entry {
    std::mutex mutex;  ///< held while the tree is read or changed
    bool loaded = false;
    StateTree tree;
    std::int64_t version = 0;
    Time time;
    std::optional<StateSchema> schema;

    StateCheck check() const;
    void unload();  // it is read again when it is next asked for
  };

  std::shared_ptr<Entry> entry_of(const ScopeKey& scope, const std::string& name);
  static Status check_version(const std::string& name, const Entry& entry, const StateChange& change);
  Status load(const ScopeKey& scope, const std::string& name, Entry& entry);
  Result<StateTree> tree_after(const ScopeKey& scope, const std::string& name, std::int64_t version);
  Result<std::vector<StateRecord>> records(const ScopeKey& scope, const std::string& name, std::int64_t first,
                                           std::size_t limit);
  Result<StateView> keep(const ScopeKey& scope, const std::string& name, Entry& entry, AppliedChange applied,
                         const StateChange& change, Time now, bool snapshot);
  StateLimits limits() const;

  Store& store_;
  const StateSettings& settings_;
  const std::int64_t versions_kept_;
  std::mutex mutex_;
  std::list<std::string> used_;
  std::unordered_map<std::string, std::pair<std::shared_ptr<Entry>, std::list<std::string>::iterator>> entries_;
};

struct EngineCore;

/// The kind of jobs that apply an assistant's operations.
inline constexpr const char* kStateKind = "state";

/// The scope of a story and of the world that it plays in. kInvalidArgument for a world's name that is none.
Result<StoryScope> story_scope(const Config& config, const RequestContext& request);

/// States: trees that games and agents keep, each version of them, and what models write into their answers to change
/// them. A scope that plays in a world reads the world's until it has changed anything. Safe from any thread.
class States {
 public:
  explicit States(EngineCore& core);

  // `State` in weft/facets/state.h says what these do.
  Result<StateView> state(const RequestContext& request, const std::string& name, std::int64_t version);
  Result<Value> state_value(const RequestContext& request, const std::string& name, std::string_view path);
  Result<StateView> put_state(const RequestContext& request, const std::string& name, const std::string& json,
                              const std::string& author);
  Result<StateView> apply_state(const RequestContext& request, const std::string& name, const StateChange& change);
  Result<std::vector<StateVersion>> state_log(const RequestContext& request, const std::string& name, std::size_t limit,
                                              std::int64_t before);
  Result<StateView> roll_back_state(const RequestContext& request, const std::string& name, std::int64_t version,
                                    const std::string& author);
  Result<std::string> state_schema(const RequestContext& request, const std::string& name);
  Status put_state_schema(const RequestContext& request, const std::string& name, const std::string& schema,
                          const std::string& author);

  /// Whose state of that name a scope reads: its own once it has changed anything, until then the world's.
  Result<ScopeKey> state_home(const StoryScope& scope, const std::string& name);
  Result<StateView> change_state(const StoryScope& scope, const std::string& name, StateChange change);

  /// What planner and skeleton need of the newest version; null where there is none.
  Result<std::shared_ptr<const StateFacts>> facts_of(const ScopeKey& scope, const std::string& name);

  /// Adds a job for each assistant's message of a change that holds operations, so that they are applied whatever
  /// happens after the message is kept.
  void add_jobs(const RequestContext& request, const SessionId& session, StreamChange& change);
  /// Applies what assistants wrote into messages whose job has not been worked off, and tells `observed` what became of
  /// it.
  void apply_answers(const RequestContext& request, const SessionId& session, std::span<const Message> messages,
                     std::span<Observation> observed);
  /// Applies what one message holds, from its job.
  Status work_off_answer(const Job& job);
  /// Why the operations in the last answer of a history were refused; empty where they were not.
  Result<std::string> refused_answer(const ScopeKey& scope, const SessionId& session, const ContextInput& input);

  StateShelf& shelf() { return shelf_; }

 private:
  Result<std::int64_t> adopt_state(const StoryScope& scope, const std::string& name);
  std::string apply_blocks(const StoryScope& scope, const SessionId& session, const Message& message,
                           const MessageId& id);
  Result<std::string> apply_answer(const StoryScope& scope, const SessionId& session, const Message& message,
                                   const MessageId& id, const JobId& job);

  EngineCore& core_;
  StateShelf shelf_;
};

}  // namespace weft
