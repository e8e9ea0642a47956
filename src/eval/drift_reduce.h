#pragma once

#include "eval/drift.h"
#include "ports/chat/chat_model.h"
#include "text/token_counter.h"
#include "weft/config.h"

namespace weft {

/// Weft's own compaction, as configured, for the evaluation of drift. `model` may be null; it has to outlive the
/// result, as `tokens` has.
Reduce compaction_reduce(const Config& config, const TokenCounter& tokens, ChatModel* model);

}  // namespace weft
