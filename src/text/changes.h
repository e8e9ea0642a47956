#pragma once

#include <string_view>
#include <vector>

#include "text/plain_words.h"

namespace weft {

/// Whether a question is about what was, or how it came to be: "before", "used to", "originally", 以前, 最初. A mere
/// past tense does not count: "what was his name?" asks what holds. Both languages; linear; safe from any thread.
bool asks_of_the_past(const std::vector<PlainWord>& question);

/// Whether a question is about several things together, so that an older one of them is as good as a newer one: sums
/// ("in total", 一共), counts of times, lists, comparisons, orders. Both languages; linear; safe from any thread.
bool asks_of_several(const std::vector<PlainWord>& question);

/// Whether a text says that something is no longer as it was: "now", "no longer", "instead", "changed to", 改成, 不再.
/// What is only added ("also", "another", 还有) is no change. Both languages; linear; safe from any thread.
bool tells_of_change(std::string_view text);

/// Whether a text says that one thing takes the place of another rather than stands beside it: "switched", "instead",
/// "gave up", 改学, 不…了. Both languages; linear; safe from any thread.
bool tells_of_replacement(std::string_view text);

}  // namespace weft
