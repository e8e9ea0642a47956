#include "engine/unread_messages.h"

#include <cstdlib>
#include <utility>
#include <vector>

namespace weft {

Status hand_unread(Store& store, const std::string& name,
                   const std::function<void(std::span<const MessageRow> messages)>& take) {
  WEFT_TRY(const std::string read, store.note(name));
  WEFT_TRY(const StoreCounts counts, store.counts());
  if (read.empty()) return store.set_note(name, std::to_string(counts.last_seq));
  const std::int64_t last = std::atoll(read.c_str());
  if (counts.last_seq <= last) return {};
  WEFT_TRY(const auto scopes, store.streams().scopes());
  for (const ScopeKey& scope : scopes) {
    std::vector<MessageRow> missing;
    WEFT_CHECK(store.messages().scan(scope, false, [&](MessageRow&& row) {
      if (row.seq > last && row.message.time) missing.push_back(std::move(row));
    }));
    take(missing);
  }
  return {};
}

}  // namespace weft
