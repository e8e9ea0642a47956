#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/erasure_gate.h"
#include "model/erased_messages.h"
#include "model/rows.h"
#include "weft/result.h"

namespace weft {

struct ErasureRecord;
class Store;

/// What an erasure will take out, found before anything is changed: ids and numbers, no texts.
struct Erasing {
  struct OfSession {
    std::vector<MessageRow> messages;  ///< that go: seq, parent, digest, chain, id and time
    std::vector<std::int64_t> items;  ///< rows made of them
    std::vector<std::pair<std::int64_t, std::int64_t>> parents;  ///< seq of one that stays → of the one it hangs on now
  };
  std::map<SessionId, OfSession> sessions;
  std::vector<std::int64_t> other_items;  ///< of none of these sessions
  std::map<ScopeKey, std::vector<std::int64_t>> views;  ///< rows in other scopes, by scope
  std::map<ScopeKey, std::vector<ItemId>> view_ids;  ///< of events in their senders' private memory, by scope
  std::vector<std::int64_t> relinked;  ///< events that lose the one they replaced, or were replaced by
  std::unordered_set<std::string> message_ids, event_ids;
  std::int64_t last_seq = 0;  ///< what came later was not looked at
  std::size_t messages = 0, items = 0;

  /// What is told to those who keep what was made of these messages. It reads `record`, which must outlive it.
  ErasedMessages told(const ErasureRecord& record) const;

  const OfSession* of(const SessionId& session) const {
    const auto at = sessions.find(session);
    return at == sessions.end() ? nullptr : &at->second;
  }
};

/// Reads the messages that an erasure by ids names, for calls under way; empty for any other erasure.
Result<ErasedByIds> erased_by_ids(Store& store, const ErasureRecord& record);

}  // namespace weft
