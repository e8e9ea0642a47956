#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft {

/// What a skeleton says now that an earlier one, which still stands in the prompt, did not say: the lines that are new
/// or read differently, each below the lines it belongs to (by indentation) and within its list item, tags closed;
/// then what is gone. Empty where both say the same. Nothing where telling it in full is as short: what has changed
/// takes more than two thirds of `now`. The same texts give the same change. Safe from any thread.
std::optional<std::string> skeleton_change(std::string_view before, std::string_view now);

}  // namespace weft
