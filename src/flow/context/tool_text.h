#pragma once

#include <cstdint>
#include <string>

#include "text/token_counter.h"
#include "weft/task.h"

namespace weft {

/// The short form of a tool for a prompt, one line:
///
///     search_flights(from: string, to: string, [seats: integer]) – Finds flights between two airports.
///
/// The name; the parameters of the first level, required ones first, then optional ones in brackets, each group in the
/// order of the schema; the first sentence of the description. Within `max_tokens` by the counter: first optional
/// parameters are left out, then the sentence is cut, then required parameters are left out, each with "…" in its
/// place. The name stays whole unless it alone is too long. Everything is escaped, line breaks and control characters
/// are gone. Same tool, same bytes. Empty where `max_tokens` is 0 or less.
std::string tool_text(const ToolInfo& tool, std::int64_t max_tokens, const TokenCounter& tokens);

}  // namespace weft
