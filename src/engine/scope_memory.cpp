#include "engine/scope_memory.h"

#include "base/log.h"

namespace weft {

std::shared_ptr<ScopeMemory::Entry> ScopeMemory::find(const ScopeKey& scope) {
  std::lock_guard lock(mutex_);
  const auto at = entries_.find(scope);
  return at == entries_.end() ? nullptr : at->second.first;
}

std::shared_ptr<ScopeMemory::Entry> ScopeMemory::find_or_make(const ScopeKey& scope) {
  std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(scope); at != entries_.end()) {
    used_.splice(used_.begin(), used_, at->second.second);
    return at->second.first;
  }
  used_.push_front(scope);
  auto entry = std::make_shared<Entry>();
  entries_[scope] = {entry, used_.begin()};
  return entry;
}

// An entry that has left the table meanwhile counts no more.
std::shared_ptr<const ScopeIndex> ScopeMemory::measured(Entry& entry) {
  const std::size_t bytes = entry.index->bytes();
  std::lock_guard lock(mutex_);
  if (!entry.is_gone) {
    bytes_ += bytes - entry.bytes;
    entry.bytes = bytes;
  }
  while (bytes_ > most_bytes_ && entries_.size() > 1) drop(entries_.find(used_.back()));
  return entry.index;
}

void ScopeMemory::drop(Entries::iterator at) {
  Entry& entry = *at->second.first;
  entry.is_gone = true;
  bytes_ -= entry.bytes;
  used_.erase(at->second.second);
  entries_.erase(at);
}

Status ScopeMemory::load(const ScopeKey& scope, Entry& entry) {
  auto index = std::make_shared<ScopeIndex>(means_);
  Status added;
  WEFT_CHECK(store_.items().scan(scope, [&](ItemRow&& row) {
    if (row.model != embedder_) row.vector.clear();
    if (added.ok()) added = index->add(row);
  }));
  WEFT_CHECK(added);
  entry.index = std::move(index);
  return {};
}

Result<std::shared_ptr<const ScopeIndex>> ScopeMemory::index_of(const ScopeKey& scope) {
  const auto entry = find_or_make(scope);
  {
    std::lock_guard lock(entry->loading);
    if (entry->index) return measured(*entry);
  }
  // Before the lock: who writes has passed the gate already and waits for the lock.
  const auto pass = gate_.enter();
  std::lock_guard lock(entry->loading);
  if (!entry->index) WEFT_CHECK(load(scope, *entry));
  return measured(*entry);
}

void ScopeMemory::added(std::span<const ItemRow> items) {
  for (const ItemRow& item : items) {
    const auto entry = find(item.scope);
    if (!entry) continue;
    std::lock_guard lock(entry->loading);
    if (!entry->index) continue;
    if (auto done = entry->index->add(item); !done.ok()) log_error("index.add", done.error().message);
  }
}

void ScopeMemory::embedded(const ScopeKey& scope, std::span<const VectorUpdate> vectors) {
  const auto entry = find(scope);
  if (!entry) return;
  std::lock_guard lock(entry->loading);
  if (!entry->index) return;
  for (const VectorUpdate& update : vectors) {
    if (auto done = entry->index->set_vector(update.row, update.vector); !done.ok())
      log_error("index.vector", done.error().message);
  }
}

void ScopeMemory::set_active(const ScopeKey& scope, std::span<const std::pair<std::int64_t, bool>> rows) {
  const auto entry = find(scope);
  if (!entry) return;
  std::lock_guard lock(entry->loading);
  if (!entry->index) return;
  for (const auto& [row, active] : rows) entry->index->set_active(row, active);
}

void ScopeMemory::removed(const ScopeKey& scope, std::span<const std::int64_t> rows) {
  const auto entry = find(scope);
  if (!entry || rows.empty()) return;
  const std::lock_guard lock(entry->loading);
  if (entry->index) entry->index->remove(rows);
}

// Under the lock of the index: a write of this program that is newer than what is read here must not be undone by it.
Status ScopeMemory::take_news(const ScopeKey& scope, const ScopeNews& news) {
  if (news.has_removed) forget(scope);
  const auto entry = find(scope);
  if (!entry) return {};
  const auto pass = gate_.enter();
  const std::lock_guard lock(entry->loading);
  if (!entry->index) return {};
  Status added;
  WEFT_CHECK(store_.items().scan_news(scope, news.since, [&](ItemRow&& row) {
    if (row.model != embedder_) row.vector.clear();
    if (added.ok()) added = entry->index->add(row);
  }));
  return added;
}

void ScopeMemory::forget(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(scope); at != entries_.end()) drop(at);
}

}  // namespace weft
