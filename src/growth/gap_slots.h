#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "growth/gaps.h"
#include "text/words.h"

namespace weft {

/// The words of a tool's name and description.
std::set<Term> tool_terms(const ToolInfo& tool);

/// Arguments that the tools which a task speaks of need, and that nothing says: by the names, types, formats and
/// choices in their schemas. A schema that cannot be read needs nothing.
std::vector<Gap> missing_arguments(std::string_view task, std::span<const std::string> known,
                                   std::span<const ToolInfo> tools);

}  // namespace weft
