#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sync.h"
#include "flow/context/plan_focus.h"
#include "flow/context/state_target.h"
#include "flow/memory/lore_keys.h"
#include "text/value.h"
#include "weft/quest.h"
#include "weft/result.h"

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

}  // namespace weft
