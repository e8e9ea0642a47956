#include "engine/session_table.h"

namespace weft {

std::shared_ptr<SessionTable::Entry> SessionTable::entry_of(const Key& key) {
  std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(key); at != entries_.end()) {
    used_.splice(used_.begin(), used_, at->second.second);
    return at->second.first;
  }
  used_.push_front(key);
  auto entry = std::make_shared<Entry>();
  entries_[key] = {entry, used_.begin()};
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

Result<SessionTable::Held> SessionTable::hold(const std::string& scope, const SessionId& session) {
  auto entry = entry_of(std::to_string(scope.size()) + ":" + scope + session.str());
  Held held;
  held.lock_ = std::unique_lock(entry->mutex);
  held.state_ = &entry->state;
  held.restored_ = &entry->restored;
  if (!entry->restored) {
    WEFT_TRY(entry->state, restore_session(store_, scope, session));
    entry->restored = true;
  }
  held.keep_ = std::move(entry);
  return held;
}

}  // namespace weft
