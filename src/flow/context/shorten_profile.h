#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/// A text of lines in at most `tokens` tokens (estimated by script): the lines that share most words with `query`, and
/// of those alike the first ones, in their order, under their headings. A line at the end says how many are left out.
/// The same text where it fits; a line that is too long by itself is cut behind a sentence. Empty only where the text
/// is empty or there is no room for a single word. Deterministic; linear in the text but for sorting.
std::string shorten_profile(std::string_view text, std::string_view query, std::int64_t tokens);

}  // namespace weft
