#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/block.h"

namespace weft {

/// One topic in short.
struct Narrative {
  std::string title;
  Time from, to;
  std::string summary;
};

/// Title (the sentence that says most about what was asked), span of time and summary of a topic's blocks.
/// Deterministic.
Narrative write_narrative(const std::vector<LogicalBlock>& blocks, const std::string& lead,
                          std::int64_t summary_tokens);

/// The narrative as the text that is kept: title, span, summary.
std::string to_text(const Narrative& narrative);

}  // namespace weft
