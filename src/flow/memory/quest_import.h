#pragma once

#include <string_view>
#include <vector>

#include "weft/quest.h"

namespace weft {

/// Reads an author's file of quests: JSON where it begins with "{" or "[", else YAML (which is what authors write by
/// hand). Forms and fields: `read_quests`. A file is bounded in bytes, depth and values, and YAML's anchors and aliases
/// are refused. Errors begin with `file` and name line or quest. Whether the quests fit together is asked by
/// `QuestGraph`.
Result<std::vector<Quest>> import_quests(std::string_view bytes, std::string_view file);

}  // namespace weft
