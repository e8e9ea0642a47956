#include "engine/compactions.h"

#include <algorithm>

namespace weft {
namespace {

constexpr const char* kKind = "compaction";
constexpr std::size_t kMost = 1'000'000;
constexpr std::size_t kInMemory = 1024;

// Other sessions may have messages of the same ids.
Result<std::unordered_set<std::int64_t>> numbers_of(Store& store, const ScopeKey& scope, const SessionId& session,
                                                    const std::vector<MessageId>& ids) {
  std::unordered_set<std::int64_t> numbers;
  if (ids.empty()) return numbers;
  WEFT_TRY(const auto rows, store.messages().get(scope, ids));
  for (const MessageRow& row : rows)
    if (row.session == session) numbers.insert(row.seq);
  return numbers;
}

}  // namespace

// A record that was written again (undone) counts as it stands now, in the place of its first version.
Result<std::vector<Compaction>> Compactions::all(const ScopeKey& scope, const SessionId& session) {
  WEFT_TRY(const auto rows, store_.documents().versions(scope, kKind, session.str(), 1, kMost));
  std::vector<Compaction> records;
  for (const DocumentRow& row : rows) {
    WEFT_TRY(auto record, parse_compaction(row.body));
    const auto known =
        std::find_if(records.begin(), records.end(), [&](const Compaction& one) { return one.id == record.id; });
    if (known == records.end())
      records.push_back(std::move(record));
    else
      *known = std::move(record);
  }
  return records;
}

Result<std::shared_ptr<const LiveCompaction>> Compactions::live(const ScopeKey& scope, const SessionId& session) {
  const SessionKey key(scope, session);
  std::uint64_t before = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = live_.find(key); at != live_.end()) return at->second;
    before = changes_;
  }
  WEFT_TRY(const auto records, all(scope, session));
  std::shared_ptr<LiveCompaction> found;
  for (auto record = records.rbegin(); record != records.rend() && !found; ++record) {
    if (record->undone) continue;
    found = std::make_shared<LiveCompaction>();
    found->record = *record;
    WEFT_TRY(found->covered, numbers_of(store_, scope, session, record->summary.covers));
    WEFT_TRY(found->shortened, numbers_of(store_, scope, session, record->shortened));
    if (!found->covered.empty()) found->last_covered = *std::max_element(found->covered.begin(), found->covered.end());
  }
  const std::lock_guard lock(mutex_);
  if (live_.size() >= kInMemory) live_.clear();
  if (changes_ == before) live_[key] = found;
  return std::shared_ptr<const LiveCompaction>(found);
}

Result<DocumentRow> Compactions::row_of(const ScopeKey& scope, const SessionId& session, const Compaction& record,
                                        Time now) {
  WEFT_TRY(const auto newest, store_.documents().newest(scope, kKind, session.str()));
  return DocumentRow{scope,
                     kKind,
                     session.str(),
                     newest ? newest->version + 1 : 1,
                     now,
                     std::string(to_string(record.summary.by)),
                     to_json(record)};
}

void Compactions::changed(const ScopeKey& scope, const SessionId& session) {
  const std::lock_guard lock(mutex_);
  ++changes_;
  live_.erase(SessionKey(scope, session));
}

void Compactions::forget(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  ++changes_;
  std::erase_if(live_, [&](const auto& entry) { return entry.first.first == scope; });
}

}  // namespace weft
