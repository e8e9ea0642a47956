#include "engine/story_shelf.h"

#include <algorithm>
#include <atomic>

#include "flow/context/skeleton.h"

namespace weft {
namespace {

constexpr std::size_t kScopes = 64;

std::optional<double> number_in(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value.data)) return *real;
  const Value* described = value.find("value");
  if (described == nullptr || value.find("description") == nullptr || !described->is_number()) return std::nullopt;
  return number_in(*described);
}

std::string text_in(const Value& entity, std::string_view name) {
  const Value* found = entity.find(name);
  return found != nullptr && found->text() != nullptr ? *found->text() : std::string();
}

StateEntity entity_of(const Value& value, const std::string& container) {
  StateEntity entity{text_in(value, "id"), text_in(value, "name"), {}, container, {}};
  for (const char* field : {"aliases", "alias"}) {
    const Value* names = value.find(field);
    if (names == nullptr) continue;
    if (names->text() != nullptr) entity.aliases.push_back(*names->text());
    if (names->list() == nullptr) continue;
    for (const Value& one : *names->list())
      if (one.text() != nullptr) entity.aliases.push_back(*one.text());
  }
  for (const auto& [name, field] : *value.object())
    if (const auto number = number_in(field)) entity.fields.push_back({name, *number});
  return entity;
}

void collect(const Value& value, const std::string& container, std::vector<StateEntity>& entities) {
  if (const ValueList* list = value.list()) {
    for (const Value& one : *list) collect(one, container, entities);
  } else if (const ValueObject* members = value.object()) {
    if (!text_in(value, "id").empty()) entities.push_back(entity_of(value, container));
    const std::string name = text_in(value, "name");
    for (const auto& [member, child] : *members)
      collect(child, member == "items" ? container : name.empty() ? member : name, entities);
  }
}

template <class Map>
void bound(Map& map) {
  if (map.size() >= kScopes) map.clear();
}

}  // namespace

std::int64_t LoreShelf::next_number() {
  static std::atomic<std::int64_t> last{0};
  return ++last;
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

std::vector<StateEntity> entities_of(const Value& root) {
  std::vector<StateEntity> entities;
  collect(root, "", entities);
  if (root.object() == nullptr) return entities;
  // Members of the root are addressed by their bare names.
  StateEntity world;
  for (const auto& [name, value] : *root.object())
    if (const auto number = number_in(value)) world.fields.push_back({name, *number});
  if (!world.fields.empty()) entities.push_back(std::move(world));
  return entities;
}

std::shared_ptr<const LoreShelf> StoryShelf::lore(const std::string& scope) {
  auto all = lore_.lock();
  const auto at = all->find(scope);
  return at == all->end() ? nullptr : at->second;
}

void StoryShelf::put_lore(const std::string& scope, std::shared_ptr<const LoreShelf> lore, std::uint64_t ticket) {
  auto all = lore_.lock();
  if (ticket != changes_) return;
  bound(*all);
  (*all)[scope] = std::move(lore);
}

std::shared_ptr<const StateFacts> StoryShelf::state(const std::string& scope, const std::string& name) {
  auto all = states_.lock();
  const auto at = all->find({scope, name});
  return at == all->end() ? nullptr : at->second;
}

void StoryShelf::put_state(const std::string& scope, const std::string& name, std::shared_ptr<const StateFacts> facts) {
  auto all = states_.lock();
  bound(*all);
  (*all)[{scope, name}] = std::move(facts);
}

std::shared_ptr<const KnownNames> StoryShelf::names(const std::string& scope, const std::string& origin) {
  auto all = names_.lock();
  const auto at = all->find(scope);
  return at == all->end() || at->second.first != origin ? nullptr : at->second.second;
}

void StoryShelf::put_names(const std::string& scope, const std::string& origin,
                           std::shared_ptr<const KnownNames> names) {
  auto all = names_.lock();
  bound(*all);
  (*all)[scope] = {origin, std::move(names)};
}

void StoryShelf::forget_lore(const std::string& scope) {
  auto all = lore_.lock();
  ++changes_;
  all->erase(scope);
}

void StoryShelf::forget(const std::string& scope) {
  forget_lore(scope);
  names_.lock()->erase(scope);
  auto all = states_.lock();
  std::erase_if(*all, [&](const auto& entry) { return entry.first.first == scope; });
}

}  // namespace weft
