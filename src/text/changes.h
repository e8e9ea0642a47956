#pragma once

#include <string_view>

namespace weft {

/// Whether a text says that something is no longer as it was: "now", "no longer", "instead", "changed to", 改成, 不再.
/// What is only added ("also", "another", 还有) is no change. Both languages; linear; safe from any thread.
bool tells_of_change(std::string_view text);

/// Whether a text says that one thing takes the place of another rather than stands beside it: "switched", "instead",
/// "gave up", 改学, 不…了. Both languages; linear; safe from any thread.
bool tells_of_replacement(std::string_view text);

/// Whether a statement adds to what is known of the same kind and replaces none of it: "I also work at the library",
/// 我也在图书馆兼职. Both languages; linear; safe from any thread.
bool tells_of_addition(std::string_view text);

}  // namespace weft
