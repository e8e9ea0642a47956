#pragma once

#include <string_view>
#include <vector>

#include "text/plain_words.h"

namespace weft {

/// The words of a text that carry what it says, in order: numerals, dates, units, spelling and auxiliaries in one form,
/// a question ends with "?"; without small talk around it, introductions, intensifiers, articles and what was said
/// before in the same text. If nothing would be left, all words. Linear.
std::vector<PlainWord> statement_words(std::string_view text);

}  // namespace weft
