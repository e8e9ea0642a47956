#include "ports/index/scope_index.h"

#include <cmath>

namespace weft {

ScopeIndex::ScopeIndex(const LanguageMeans& means) {
  for (const ItemKind kind : kItemKinds)
    shelves_[static_cast<std::size_t>(kind)] = std::make_unique<Shelf>(kind == ItemKind::kMessage, means);
}

Status ScopeIndex::add(const ItemRow& item) {
  const std::unique_lock lock(mutex_);
  Shelf& to = shelf(item.item.kind);
  if (to.rows().size() >= WordsIndex::kMaxSlots)
    return too_large("index: more than 16 million items of one kind in a scope");
  if (!item.vector.empty()) WEFT_CHECK(check(item.vector));
  if (places_.contains(item.row)) remove_locked(std::span(&item.row, 1));
  const auto session =
      sessions_.try_emplace(item.item.session.str(), static_cast<std::uint32_t>(sessions_.size())).first;
  const std::uint32_t slot = to.add(item, session->second);
  places_[item.row] = {item.item.kind, slot};
  if (!item.vector.empty()) to.set_vector(slot, item.vector);
  return {};
}

Status ScopeIndex::check(std::span<const float> vector) const {
  if (vector.empty()) return invalid_argument("index: an empty vector");
  for (const auto& one : shelves_) {
    const std::size_t wanted = one->vectors().dimensions();
    if (wanted != 0 && wanted != vector.size())
      return invalid_argument("index: a vector of " + std::to_string(vector.size()) + " numbers among such of " +
                              std::to_string(wanted));
  }
  for (const float value : vector)
    if (!std::isfinite(value)) return invalid_argument("index: a vector with a number that is not finite");
  return {};
}

Status ScopeIndex::set_vector(std::int64_t row, std::span<const float> vector) {
  const std::unique_lock lock(mutex_);
  WEFT_CHECK(check(vector));
  if (const auto place = places_.find(row); place != places_.end())
    shelf(place->second.kind).set_vector(place->second.slot, vector);
  return {};
}

void ScopeIndex::set_active(std::int64_t row, bool active) {
  const std::unique_lock lock(mutex_);
  if (const auto place = places_.find(row); place != places_.end())
    shelf(place->second.kind).set_active(place->second.slot, active);
}

void ScopeIndex::remove(std::span<const std::int64_t> rows) {
  const std::unique_lock lock(mutex_);
  remove_locked(rows);
}

void ScopeIndex::remove_locked(std::span<const std::int64_t> rows) {
  std::array<std::vector<std::uint32_t>, kItemKinds.size()> slots;
  for (const std::int64_t row : rows) {
    const auto place = places_.find(row);
    if (place == places_.end()) continue;
    slots[static_cast<std::size_t>(place->second.kind)].push_back(place->second.slot);
    places_.erase(place);
  }
  for (std::size_t kind = 0; kind < slots.size(); ++kind)
    if (!slots[kind].empty()) shelves_[kind]->remove(slots[kind]);
}

std::optional<std::uint32_t> ScopeIndex::Reading::session(const SessionId& session) const {
  const auto found = index_->sessions_.find(session.str());
  if (found == index_->sessions_.end()) return std::nullopt;
  return found->second;
}

std::size_t ScopeIndex::bytes() const {
  constexpr std::size_t kOfPlace = 56, kOfSession = 96;  // a node of the maps, and its share of their tables
  const std::shared_lock lock(mutex_);
  std::size_t bytes = sizeof(ScopeIndex) + places_.size() * kOfPlace + sessions_.size() * kOfSession;
  for (const auto& one : shelves_) bytes += one->bytes();
  return bytes;
}

std::vector<std::string> ScopeIndex::speakers() const {
  const std::shared_lock lock(mutex_);
  const auto names = shelves_[static_cast<std::size_t>(ItemKind::kMessage)]->speakers();
  return {names.begin() + 1, names.end()};
}

}  // namespace weft
