#pragma once

#include <string_view>

namespace weft {

/// Whether a question is about what was, or how it came to be: "before", "used to", "originally", 以前, 最初. A mere
/// past tense does not count: "what was his name?" asks what holds. Both languages; linear; safe from any thread.
bool asks_of_the_past(std::string_view question);

/// Whether a text says that something is no longer as it was: "now", "no longer", "instead", "changed to", 改成, 不再.
/// What is only added ("also", "another", 还有) is no change. Both languages; linear; safe from any thread.
bool tells_of_change(std::string_view text);

}  // namespace weft
