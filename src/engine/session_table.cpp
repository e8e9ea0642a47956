#include "engine/session_table.h"

namespace weft {
namespace {

// Of the keys of a scope's sessions, and of no others.
std::string scope_prefix(const ScopeKey& scope) { return std::to_string(scope.str().size()) + ":" + scope.str(); }

}  // namespace

std::shared_ptr<SessionTable::Entry> SessionTable::entry_of(const Key& key) {
  std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(key); at != entries_.end()) {
    used_.splice(used_.begin(), used_, at->second.second);
    return at->second.first;
  }
  auto entry = std::make_shared<Entry>();
  auto& place = entries_[key];
  try {
    used_.push_front(key);
  } catch (...) {  // each entry has its place in the list, and the other way about
    entries_.erase(key);
    throw;
  }
  place = {entry, used_.begin()};
  // Only entries that nobody holds may go: two copies of one session would overwrite each other.
  for (auto oldest = std::prev(used_.end()); entries_.size() > capacity_ && oldest != used_.begin();) {
    const auto before = std::prev(oldest);
    const auto at = entries_.find(*oldest);
    if (at->second.first.use_count() == 1) {
      entries_.erase(at);
      used_.erase(oldest);
    }
    oldest = before;
  }
  return entry;
}

Status SessionTable::Held::refresh() {
  // Read before the rows: what changes meanwhile is read again next time.
  const std::uint64_t round = table_->round_ + entry_->round;
  if (entry_->restored == round) return {};
  entry_->restored = 0;
  WEFT_TRY(entry_->state, restore_session(table_->store_, entry_->scope, entry_->session));
  entry_->restored = round;
  return {};
}

void SessionTable::forget(const ScopeKey& scope) {
  const std::string begin = scope_prefix(scope);
  const std::lock_guard lock(mutex_);
  for (const auto& [key, place] : entries_)
    if (key.starts_with(begin)) ++place.first->round;
}

Result<SessionTable::Held> SessionTable::hold(const ScopeKey& scope, const SessionId& session) {
  Held held;
  held.table_ = this;
  held.entry_ = entry_of(scope_prefix(scope) + session.str());
  held.lock_ = std::unique_lock(held.entry_->mutex);
  held.entry_->scope = scope;
  held.entry_->session = session;
  WEFT_CHECK(held.refresh());
  return held;
}

}  // namespace weft
