#include "ports/index/scope_index.h"

#include <cmath>

namespace weft {

ScopeIndex::ScopeIndex(std::size_t dimensions) : dimensions_(dimensions) {
  for (const ItemKind kind : {ItemKind::kMessage, ItemKind::kEvent, ItemKind::kNarrative})
    shelves_[static_cast<std::size_t>(kind)] = std::make_unique<Shelf>(dimensions, kind == ItemKind::kMessage);
}

Status ScopeIndex::add(std::span<const IndexEntry> entries) {
  const std::unique_lock lock(mutex_);
  std::vector<std::int64_t> known;
  for (const IndexEntry& entry : entries)
    if (places_.contains(entry.row)) known.push_back(entry.row);
  if (!known.empty()) remove_locked(known);
  for (const IndexEntry& entry : entries) {
    Shelf& to = shelf(entry.kind);
    if (to.rows().size() >= WordsIndex::kMaxSlots) return too_large("index: more than 16 million items of one kind in a scope");
    if (const auto place = places_.find(entry.row); place != places_.end()) remove_locked(std::span(&entry.row, 1));
    places_[entry.row] = {entry.kind, to.add(entry)};
  }
  return {};
}

Status ScopeIndex::set_vector(std::int64_t row, std::span<const float> vector) {
  if (vector.size() != dimensions_)
    return invalid_argument("index: a vector of " + std::to_string(vector.size()) + " numbers where " +
                            std::to_string(dimensions_) + " are wanted");
  for (const float value : vector)
    if (!std::isfinite(value)) return invalid_argument("index: a vector with a number that is not finite");
  const std::unique_lock lock(mutex_);
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
  std::array<std::vector<std::uint32_t>, 3> slots;
  for (const std::int64_t row : rows) {
    const auto place = places_.find(row);
    if (place == places_.end()) continue;
    slots[static_cast<std::size_t>(place->second.kind)].push_back(place->second.slot);
    places_.erase(place);
  }
  for (std::size_t kind = 0; kind < slots.size(); ++kind)
    if (!slots[kind].empty()) shelves_[kind]->remove(slots[kind]);
}

std::size_t ScopeIndex::size() const {
  const std::shared_lock lock(mutex_);
  return places_.size();
}

std::size_t ScopeIndex::bytes() const {
  const std::shared_lock lock(mutex_);
  std::size_t sum = places_.size() * (sizeof(std::int64_t) + sizeof(Place) + 2 * sizeof(void*)) +
                    places_.bucket_count() * sizeof(void*);
  for (const auto& one : shelves_) sum += one->bytes();
  return sum;
}

std::vector<std::string> ScopeIndex::speakers() const {
  const std::shared_lock lock(mutex_);
  const auto names = shelves_[static_cast<std::size_t>(ItemKind::kMessage)]->speakers();
  return {names.begin() + 1, names.end()};
}

}  // namespace weft
