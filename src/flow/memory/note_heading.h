#pragma once

#include <string_view>

namespace weft {

/// The heading of a note in Chinese: its first line, where that is short and no sentence, nobody speaks of themselves
/// in it, no grammar reads anything in it, and the next line asks nothing and is no second entry of a form. Empty where
/// there is none. A view into the message. Safe from any thread.
std::string_view note_heading(std::string_view message);

}  // namespace weft
