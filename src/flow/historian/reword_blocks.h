#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/metrics.h"
#include "flow/historian/rewrite.h"
#include "weft/block.h"

namespace weft {

/// A model's words for a message, and how they came about.
struct Worded {
  std::string text;
  std::string model, prompt;
};

/// A model's words for messages of a topic, by message.
using Wording = std::unordered_map<std::string, Worded>;

/// Asks the model of `terms` to word what was said in each block, starting from the grammar's draft. A message that is
/// longer than historian.verbatim_tokens is not asked for: of it only sentences are kept. What the model does not
/// answer, or answers wrongly, is left out, so that the draft stands in. Counts calls and refusals. The caller must
/// hold no lock: a model takes its time.
Wording reword_blocks(const std::vector<LogicalBlock>& blocks, const RewriteTerms& terms, const Config& config,
                      Metrics& metrics, const Deadline& deadline);

}  // namespace weft
