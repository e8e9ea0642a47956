#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "engine/model_gate.h"
#include "ports/index/scope_index.h"
#include "ports/store/store.h"

namespace weft {

/// The indexes of the scopes that are in use: made from the store's rows when a scope is first asked for, kept up with
/// every write. If they take more memory than they may, the longest unused ones are dropped. One index holds one scope
/// and nothing else, so that no search can reach another's memory. Safe from many threads.
class ScopeMemory {
 public:
  /// `most_bytes`: of all indexes together; the index that is asked for is kept, however large. `embedder` names the
  /// model whose vectors count; vectors of others are left out. Rows are read while `gate` is open, so that an index is
  /// of one model as a whole. `means` are those of that model.
  ScopeMemory(Store& store, ModelGate& gate, std::size_t most_bytes, std::string embedder, LanguageMeans means)
      : store_(store), gate_(gate), most_bytes_(most_bytes), embedder_(std::move(embedder)), means_(std::move(means)) {}

  /// What was just written becomes findable. Scopes that are not in memory need nothing: they are read from the store
  /// later.
  void added(std::span<const ItemRow> items);
  void embedded(const ScopeKey& scope, std::span<const VectorUpdate> vectors);
  void set_active(const ScopeKey& scope, std::span<const std::pair<std::int64_t, bool>> rows);

  /// What was erased is taken out; the rest stays where it is.
  void removed(const ScopeKey& scope, std::span<const std::int64_t> rows);

  /// Takes in what other programs have changed in the items of a scope.
  Status take_news(const ScopeKey& scope, const ScopeNews& news);

  /// Drops the index of a scope; it is read from the store when it is next asked for.
  void forget(const ScopeKey& scope);

  /// The index of a scope, loaded if need be. It stays whole for its holder even when it leaves this table. Not to be
  /// called by who has passed the gate.
  Result<std::shared_ptr<const ScopeIndex>> index_of(const ScopeKey& scope);

 private:
  struct Entry {
    std::mutex loading;  ///< held while the rows are read; what is written meanwhile waits and is added after them
    std::shared_ptr<ScopeIndex> index;  ///< null until it is loaded
    std::size_t bytes = 0;  ///< of the index when it was last asked for; this and what follows guarded by `mutex_`
    bool is_gone = false;  ///< from the table
  };

  using Entries = std::unordered_map<ScopeKey, std::pair<std::shared_ptr<Entry>, std::list<ScopeKey>::iterator>>;

  std::shared_ptr<Entry> find(const ScopeKey& scope);
  std::shared_ptr<Entry> find_or_make(const ScopeKey& scope);
  Status load(const ScopeKey& scope, Entry& entry);
  std::shared_ptr<const ScopeIndex> measured(Entry& entry);
  void drop(Entries::iterator at);

  Store& store_;
  ModelGate& gate_;
  const std::size_t most_bytes_;
  std::string embedder_;
  LanguageMeans means_;
  std::mutex mutex_;
  std::list<ScopeKey> used_;  ///< the newest first
  std::size_t bytes_ = 0;  ///< of all entries
  Entries entries_;
};

}  // namespace weft
