#pragma once

#include <string_view>
#include <vector>

#include "weft/memory.h"

namespace weft {

/// Whether a text asks what the question asks, in nearly the same words, and says nothing else: an earlier asking of
/// it, which answers nothing. A statement in the question's words is none. Both languages; linear.
bool is_same_asking(std::string_view text, std::string_view question);

/// Puts messages that only asked the same before behind all other hits, which keep their order.
void put_askings_last(std::vector<Hit>& hits, std::string_view question);

}  // namespace weft
