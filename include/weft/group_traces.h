#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "weft/ids.h"

namespace weft {

/// What of a user stands in the memory of a group: it belongs to the group, and forgetting the user's own memory leaves
/// it there.
struct GroupTrace {
  std::string group_id;
  std::size_t events = 0;  ///< that name the user as the sender
  /// That the user wrote, or that those events are from, each with its session; forgetting them forgets all that was
  /// made of them.
  std::vector<std::pair<SessionId, MessageId>> messages;
};

}  // namespace weft
