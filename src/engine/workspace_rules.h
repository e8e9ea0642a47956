#pragma once

#include <string>
#include <vector>

#include "flow/compaction/anchors.h"

namespace weft {

struct EngineCore;

/// What stands in every prompt of a workspace, whole: AGENTS.md, SOUL.md and USER.md, one after the other. Read anew
/// each time, since people may change them; a file that cannot be read is told in the log.
std::string workspace_rules(const EngineCore& core);

/// The statements of these files that a compaction must not lose.
std::vector<Anchor> workspace_anchors(const EngineCore& core);

}  // namespace weft
