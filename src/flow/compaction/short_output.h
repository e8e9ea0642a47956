#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/token_counter.h"

namespace weft {

/// The output of a tool cut to what matters.
///
/// Takes the output, the tokens it may have, and what the user asked for (may be empty). Gives it as it is where it
/// fits. Otherwise JSON stays JSON: long lists keep their first and last entries and those that speak of the request or
/// of an error, long texts their beginning and end. Of other text those lines stay that report errors, that speak of
/// the request or that are changed in a diff, then the beginning and the end; marks with line numbers stand where
/// something is left out. How much that is stands behind it, and, where `handle` (the id of its message) is given, how
/// the rest is read. Deterministic; linear but for sorting the lines. Never more than `tokens`, but for fewer than the
/// closing note needs.
std::string shorten_output(std::string_view text, std::int64_t tokens, const TokenCounter& counter,
                           std::string_view request, std::string_view handle);

}  // namespace weft
