#pragma once

#include <string>
#include <vector>

#include "weft/block.h"

namespace weft {

/// What stands at the head of the next buffer after a relay: what was asked so far, what was done, and the names that
/// came up, drawn from the blocks and from the summary that led into them. Deterministic; the language is the blocks'
/// own.
std::string running_summary(const std::vector<LogicalBlock>& blocks, const std::string& lead, std::int64_t max_tokens);

}  // namespace weft
