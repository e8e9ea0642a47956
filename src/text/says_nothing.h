#pragma once

#include <string_view>

namespace weft {

/// Whether a text says nothing beyond its own act: small talk (see `is_empty_talk`), and what is said to confirm that
/// something was heard and will be kept: "Got it, I'll remember that.", "Noted!", "好的，我记住了。". False as soon as
/// it names what is kept. Both languages; linear; safe from any thread.
bool says_nothing(std::string_view text);

}  // namespace weft
