#pragma once

#include <string_view>

namespace weft {

/// Whether a text says nothing beyond its own act: small talk (see `is_empty_talk`), and what is said to confirm that
/// something was heard and will be kept: "Got it, I'll remember that.", "Noted!", "好的，我记住了。". False as soon as
/// it names what is kept. Both languages; linear; safe from any thread.
bool says_nothing(std::string_view text);

/// Whether what a tool gave says only that it was done: "written: 48 bytes", "OK", {"success": true}, 已保存。 Both
/// languages; linear; safe from any thread.
bool is_receipt(std::string_view output);

}  // namespace weft
