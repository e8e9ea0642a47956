#pragma once

#include <string>
#include <vector>

#include "weft/config.h"
#include "weft/result.h"

namespace weft {

/// How much of each prompt a provider could take from its cache: replays runs of agents (JSON lines, `messages` in chat
/// form, `tools` where known), weaves the context of every answer of the model as the proxy would, and compares each
/// prompt with the one before of the same run. Gives one JSON object: `traces`, `prompts`, `kept` (mean share of the
/// former prompt that the next one begins with), `by_set`, `breaks` (how often which section broke it), `context_ms`;
/// and under `planned` the same for planned prompts, with a small story whose state changes at every turn.
/// Errors name file and line.
Result<std::string> run_eval_prefix(const Config& config, const std::vector<std::string>& files);

}  // namespace weft
