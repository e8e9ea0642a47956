#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/metrics.h"
#include "flow/historian/absolutise.h"
#include "flow/historian/rewrite.h"
#include "weft/block.h"
#include "weft/config.h"

namespace weft {

/// The circumstances of one message of a topic: who said it to whom, when, and what had been said before. Speakers
/// without a name are "the user" and "the assistant".
/// Words are annotated or replaced as the gate that is configured wants them; who said it stands before an event's
/// line.
Speech speech_of(const std::vector<LogicalBlock>& blocks, std::size_t block, const Message& message,
                 const Config& config);

/// Whether nothing is said in a block: greetings, thanks, confirmations on both sides, and no tool was used.
bool is_empty_talk(const LogicalBlock& block);

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
