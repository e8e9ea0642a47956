#pragma once

#include <string>

#include "flow/stream/observe.h"

namespace weft {

/// Makes the state of the topic detector anew from the topic's blocks, with vectors of the embedder that serves now.
/// `before` is the trace of the topic before it in the session; it may be empty. Embeds every block's anchor; where no
/// embedder answers in time, words alone are taken in.
void rebuild_trace(const StreamPorts& ports, const Deadline& deadline, const std::string& before, OpenTopic& topic);

}  // namespace weft
