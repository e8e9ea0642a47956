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
