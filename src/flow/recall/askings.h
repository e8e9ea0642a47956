#pragma once

#include <string_view>
#include <vector>

#include "weft/memory.h"

namespace weft {

/// Whether a text adds nothing to the question: it asks the same in nearly the same words, and says nothing else, or
/// it is the question itself. A statement in the question's words is none. Both languages; linear.
bool is_same_asking(std::string_view text, std::string_view question);

/// Puts messages that only asked the same before behind all other hits, which keep their order. A statement stays
/// where it is, also where it is looked for by its very words.
void put_askings_last(std::vector<Hit>& hits, std::string_view question);

}  // namespace weft
