#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/block.h"
#include "weft/ids.h"

namespace weft {

/// What became of one observed message.
struct Observation {
  MessageId id;
  std::string action;  ///< "opened", "staged", "observed", "sealed", "system", "saved", "duplicate", "kept"
  BlockId block;
  std::optional<Decision> decision;  ///< where this message closed a block and the caller waited for the decision
  std::vector<std::string> notes;  ///< "orphan tool output", "block interrupted", …
};

/// One topic that was closed while observing.
struct Flushed {
  TopicId topic;
  FlushReason reason = FlushReason::kDrift;
  JobId job;
  std::size_t blocks = 0;
  std::int64_t tokens = 0;
};

struct ObserveReport {
  std::vector<Observation> observations;  ///< one a message, in order
  std::vector<Flushed> flushed;
};

/// What became of a client's whole history.
struct SyncReport {
  std::size_t known = 0;  ///< messages recognised
  std::size_t added = 0;  ///< messages observed now
  std::size_t abandoned = 0;  ///< messages of the branch that the client left
  ObserveReport observed;
};

}  // namespace weft
