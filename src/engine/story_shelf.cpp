#include "engine/story_shelf.h"

#include <algorithm>
#include <atomic>

#include "flow/context/skeleton.h"

namespace weft {
namespace {

constexpr std::size_t kScopes = 64;

template <class Map>
void bound(Map& map) {
  if (map.size() >= kScopes) map.clear();
}

}  // namespace

std::int64_t LoreShelf::next_number() {
  static std::atomic<std::int64_t> last{0};
  return ++last;
}

LoreShelf::LoreShelf(std::vector<LoreEntry> all) : entries(std::move(all)), triggers(entries) {
  unsearched = static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(), [](const LoreEntry& entry) { return !is_searched(entry); }));
}

const LoreEntry* LoreShelf::find(const std::string& id) const {
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const LoreEntry& entry) { return entry.id == id; });
  return at == entries.end() ? nullptr : &*at;
}

Result<std::string_view> StateFacts::yaml(const Value& root) const {
  const std::lock_guard lock(mutex_);
  if (!yaml_) {
    WEFT_TRY(yaml_, skeleton_state(root));
  }
  return std::string_view(*yaml_);
}

std::shared_ptr<const LoreShelf> StoryShelf::lore(const StoryScope& scope) {
  auto all = lore_.lock();
  const auto at = all->find(scope);
  return at == all->end() ? nullptr : at->second;
}

void StoryShelf::put_lore(const StoryScope& scope, std::shared_ptr<const LoreShelf> lore, std::uint64_t ticket) {
  auto all = lore_.lock();
  if (ticket != changes_) return;
  bound(*all);
  (*all)[scope] = std::move(lore);
}

std::shared_ptr<const StateFacts> StoryShelf::state(const ScopeKey& scope, const std::string& name) {
  auto all = states_.lock();
  const auto at = all->find({scope, name});
  return at == all->end() ? nullptr : at->second;
}

void StoryShelf::put_state(const ScopeKey& scope, const std::string& name, std::shared_ptr<const StateFacts> facts) {
  auto all = states_.lock();
  bound(*all);
  (*all)[{scope, name}] = std::move(facts);
}

std::shared_ptr<const KnownNames> StoryShelf::names(const ScopeKey& scope, const std::string& origin) {
  auto all = names_.lock();
  const auto at = all->find(scope);
  return at == all->end() || at->second.first != origin ? nullptr : at->second.second;
}

void StoryShelf::put_names(const ScopeKey& scope, const std::string& origin, std::shared_ptr<const KnownNames> names) {
  auto all = names_.lock();
  bound(*all);
  (*all)[scope] = {origin, std::move(names)};
}

void StoryShelf::forget_lore(const ScopeKey& scope) {
  auto all = lore_.lock();
  ++changes_;
  std::erase_if(*all, [&](const auto& entry) { return entry.first.own == scope || entry.first.world == scope; });
}

void StoryShelf::forget(const ScopeKey& scope) {
  forget_lore(scope);
  names_.lock()->erase(scope);
  auto all = states_.lock();
  std::erase_if(*all, [&](const auto& entry) { return entry.first.first == scope; });
}

}  // namespace weft
