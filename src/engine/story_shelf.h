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

/// The lore of a scope, ready to be called up by its keys.
struct LoreShelf {
  static std::int64_t next_number();
  explicit LoreShelf(std::vector<LoreEntry> all) : entries(std::move(all)), triggers(entries) {}
  const LoreEntry* find(const std::string& id) const;

  const std::vector<LoreEntry> entries;
  const LoreTriggers triggers;
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

/// The entities of a state as the planner knows them, and its single numbers by their names.
std::vector<StateEntity> entities_of(const Value& root);

/// What is made once from lore and states and used by many prompts; a cache, so it may forget. Safe from many threads.
class StoryShelf {
 public:
  /// Taken before lore is read that is put in later, so that nothing comes in that was read before it changed.
  std::uint64_t ticket() const { return changes_; }

  /// What was put in last, null where there is nothing or it was forgotten.
  std::shared_ptr<const LoreShelf> lore(const std::string& scope);
  void put_lore(const std::string& scope, std::shared_ptr<const LoreShelf> lore, std::uint64_t ticket);

  /// What was last known of a state, of whichever version.
  std::shared_ptr<const StateFacts> state(const std::string& scope, const std::string& name);
  void put_state(const std::string& scope, const std::string& name, std::shared_ptr<const StateFacts> facts);

  /// The names that may be spoken of, as long as `origin`, which says what they were made from, is the same.
  std::shared_ptr<const KnownNames> names(const std::string& scope, const std::string& origin);
  void put_names(const std::string& scope, const std::string& origin, std::shared_ptr<const KnownNames> names);

  void forget(const std::string& scope);
  void forget_lore(const std::string& scope);

 private:
  std::atomic<std::uint64_t> changes_{0};
  Sync<std::map<std::string, std::shared_ptr<const LoreShelf>>> lore_;
  Sync<std::map<std::pair<std::string, std::string>, std::shared_ptr<const StateFacts>>> states_;
  Sync<std::map<std::string, std::pair<std::string, std::shared_ptr<const KnownNames>>>> names_;
};

}  // namespace weft
