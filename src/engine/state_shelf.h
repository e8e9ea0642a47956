#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "flow/memory/state_history.h"
#include "flow/memory/state_tree.h"
#include "ports/store/store.h"
#include "weft/config.h"
#include "weft/state.h"

namespace weft {

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

}  // namespace weft
