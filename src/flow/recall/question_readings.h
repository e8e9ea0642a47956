#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "base/sync.h"
#include "flow/recall/query.h"

namespace weft {

/// Questions as they were read a moment ago. One prompt searches for the same words several times, from several
/// threads: for memories, lore, stories and events. Safe from any thread.
class QuestionReadings {
 public:
  /// As `read_query` says. A question that was read within the same minute is not read again: what it says of days is
  /// the same until then.
  std::shared_ptr<const QueryText> read(const RecallQuery& query);

  void clear();

 private:
  struct Read {
    std::uint64_t low = 0, high = 0;  ///< hash of the text, which is not kept
    std::int64_t minute = 0;  ///< of its now; -1: it has none
    int offset_minutes = 0;
    std::shared_ptr<const QueryText> as;
  };

  Sync<std::deque<Read>> newest_;
};

}  // namespace weft
