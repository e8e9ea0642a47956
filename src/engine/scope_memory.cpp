#include "engine/scope_memory.h"

namespace weft {

std::shared_ptr<ScopeMemory::Entry> ScopeMemory::find(const std::string& scope) {
  std::lock_guard lock(mutex_);
  const auto at = entries_.find(scope);
  return at == entries_.end() ? nullptr : at->second.first;
}

std::shared_ptr<ScopeMemory::Entry> ScopeMemory::find_or_make(const std::string& scope) {
  std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(scope); at != entries_.end()) {
    used_.splice(used_.begin(), used_, at->second.second);
    return at->second.first;
  }
  used_.push_front(scope);
  auto entry = std::make_shared<Entry>();
  entries_[scope] = {entry, used_.begin()};
  if (entries_.size() > capacity_) {
    entries_.erase(used_.back());
    used_.pop_back();
  }
  return entry;
}

}  // namespace weft
namespace weft {
Status ScopeMemory::load(const std::string& scope, Entry& entry) {
  WEFT_CHECK(store_.scan_items(scope, [&](ItemRow&& row) { if (row.model != embedder_) row.vector.clear(); entry.index.add(std::move(row)); }));
  entry.loaded = true;
  return {};
}
void ScopeMemory::added(std::span<const ItemRow> items) {
  for (const ItemRow& item : items) {
    auto entry = find(item.scope);
    if (!entry) continue;
    std::unique_lock lock(entry->mutex);
    if (entry->loaded) entry->index.add(item);
  }
}
void ScopeMemory::embedded(const std::string& scope, std::span<const VectorUpdate> vectors) {
  auto entry = find(scope);
  if (!entry) return;
  std::unique_lock lock(entry->mutex);
  for (const auto& v : vectors) for (auto& r : entry->index.rows) if (r.row == v.row) r.vector = v.vector;
}
void ScopeMemory::set_active(const std::string& scope, std::span<const std::pair<std::int64_t, bool>> rows) {
  auto entry = find(scope);
  if (!entry) return;
  std::unique_lock lock(entry->mutex);
  for (const auto& [row, active] : rows) for (auto& r : entry->index.rows) if (r.row == row) r.active = active;
}
Result<std::vector<ScoredRow>> ScopeMemory::search(const std::string& scope, const RecallQuery& query, const Recipe& recipe) {
  auto entry = find_or_make(scope);
  { std::unique_lock lock(entry->mutex); if (!entry->loaded) WEFT_CHECK(load(scope, *entry)); }
  std::shared_lock lock(entry->mutex);
  return recall(entry->index, query, recipe);
}
}  // namespace weft
