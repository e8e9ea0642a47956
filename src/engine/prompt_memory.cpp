#include "engine/prompt_memory.h"

#include <algorithm>
#include <iterator>

namespace weft {
namespace {

PrefixKept compare(const std::vector<PromptPiece>& now, const std::vector<PromptPiece>& last) {
  PrefixKept kept;
  for (const PromptPiece& piece : last) kept.last_bytes += static_cast<std::int64_t>(piece.text.size());
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (i == now.size()) {
      kept.broken_by = last[i].section;
      break;
    }
    const std::string& a = now[i].text;
    const std::string& b = last[i].text;
    kept.equal_bytes += std::distance(a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first);
    if (a == b) continue;
    // What was there before and is not there now is the cause as much as what came in its place.
    kept.broken_by = now[i].section == last[i].section ? now[i].section : last[i].section + " → " + now[i].section;
    break;
  }
  return kept;
}

}  // namespace

StandingBlocks PromptMemory::blocks(const std::string& session) {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(session);
  return at == entries_.end() ? StandingBlocks() : at->second.blocks;
}

PrefixKept PromptMemory::note(const std::string& session, StandingBlocks blocks, std::vector<PromptPiece> prompt) {
  std::lock_guard lock(mutex_);
  auto at = entries_.find(session);
  if (at == entries_.end()) {
    used_.push_front(session);
    at = entries_.emplace(session, Entry{{}, {}, used_.begin()}).first;
    if (entries_.size() > kSessions) {
      entries_.erase(used_.back());
      used_.pop_back();
    }
  } else {
    used_.splice(used_.begin(), used_, at->second.place);
  }
  Entry& entry = at->second;
  const PrefixKept kept = compare(prompt, entry.prompt);
  entry.blocks = std::move(blocks);
  entry.prompt = std::move(prompt);
  return kept;
}

std::vector<std::string> PromptMemory::recalled(const std::string& session) {
  std::vector<std::string> texts;
  for (TurnMemory& one : blocks(session).memories)
    if (!one.memory.text.empty()) texts.push_back(std::move(one.memory.text));
  return texts;
}

void PromptMemory::forget_memories(const std::string& sessions) {
  const std::lock_guard lock(mutex_);
  for (auto& [session, entry] : entries_)
    if (session.starts_with(sessions)) entry.blocks.memories.clear();
}

void PromptMemory::clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  used_.clear();
}

}  // namespace weft
