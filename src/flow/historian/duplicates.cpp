#include "flow/historian/duplicates.h"

#include <utility>

namespace weft {

void DuplicateIndex::add(const std::string& id, std::string_view text, std::int64_t day) {
  add(id, Statement(text), day);
}

void DuplicateIndex::add(const std::string& id, const Statement& statement, std::int64_t day) {
  remove(id);
  if (statement.empty()) return;
  const auto [entry, added] = keys_.emplace(id, statement.key());
  entries_.emplace(statement.key(), Entry{statement, day, &entry->first});
}

std::optional<std::string> DuplicateIndex::find(std::string_view text, std::int64_t day) const {
  return find(Statement(text), day);
}

std::optional<std::string> DuplicateIndex::find(const Statement& statement, std::int64_t day) const {
  const auto [begin, end] = entries_.equal_range(statement.key());
  for (auto it = begin; it != end; ++it) {
    const Entry& entry = it->second;
    if (statement.relative_time() && entry.day != day) continue;
    if (entry.statement.says_the_same(statement)) return *entry.id;
  }
  return std::nullopt;
}

void DuplicateIndex::remove(const std::string& id) {
  const auto key = keys_.find(id);
  if (key == keys_.end()) return;
  const auto [begin, end] = entries_.equal_range(key->second);
  for (auto it = begin; it != end; ++it) {
    if (it->second.id != &key->first) continue;
    entries_.erase(it);
    break;
  }
  keys_.erase(key);
}

}  // namespace weft
