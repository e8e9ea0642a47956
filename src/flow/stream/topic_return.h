#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "flow/stream/observe.h"

namespace weft {

/// An earlier topic of the session that is taken up again.
struct EarlierTopic {
  TopicRow row;
  std::vector<LogicalBlock> blocks;  ///< in order
};

/// The earlier topic that a message says it goes back to: of what it names ("back to the trip"), the one whose talk
/// holds most of the rare words of that; where it names nothing, the one before the open topic. Nothing where the
/// message says nothing of the kind, where no topic speaks of it, or where the open one does as much. Looks at the last
/// two hundred blocks of the session, those of `change` among them; reads the store only where the message goes back.
std::optional<EarlierTopic> returned_topic(const StreamPorts& ports, const SessionState& state,
                                           const StreamChange& change, std::string_view message);

}  // namespace weft
