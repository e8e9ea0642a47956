#include "engine/prompt_memory.h"

#include <algorithm>

namespace weft {

std::optional<std::string> PromptMemory::memory_for(const std::string& session, std::uint64_t user_message) {
  std::lock_guard lock(mutex_);
  const auto at = entries_.find(session);
  if (at == entries_.end() || at->second.user_message != user_message) return std::nullopt;
  return at->second.memory;
}

std::int64_t PromptMemory::note(const std::string& session, std::uint64_t user_message, std::string memory,
                                std::string prompt) {
  std::lock_guard lock(mutex_);
  auto at = entries_.find(session);
  if (at == entries_.end()) {
    used_.push_front(session);
    at = entries_.emplace(session, Entry{0, {}, {}, used_.begin()}).first;
    if (entries_.size() > kSessions) {
      entries_.erase(used_.back());
      used_.pop_back();
    }
  } else {
    used_.splice(used_.begin(), used_, at->second.place);
  }
  Entry& entry = at->second;
  const auto [mine, theirs] = std::mismatch(prompt.begin(), prompt.end(), entry.prompt.begin(), entry.prompt.end());
  const auto equal = std::distance(prompt.begin(), mine);
  entry.user_message = user_message;
  entry.memory = std::move(memory);
  entry.prompt = std::move(prompt);
  return equal;
}

std::vector<std::string> PromptMemory::recalled(const std::string& session) {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(session);
  if (at == entries_.end() || at->second.memory.empty()) return {};
  return {at->second.memory};
}

void PromptMemory::clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  used_.clear();
}

}  // namespace weft
