#pragma once

#include <string>
#include <string_view>

namespace weft {

/// Whether a character could deceive who reads a prompt or a terminal: control characters other than line break and
/// tab, marks that turn the direction of writing, and tag characters, which no person sees and a model reads.
bool is_harmful(char32_t c);

/// Whether any is in the text. Linear, and quick where there is none.
bool has_harmful(std::string_view text);

/// The text without them, and with every broken sequence replaced by U+FFFD.
std::string drop_harmful(std::string_view text);

/// Text made safe to stand between two tags: `&`, `<` and `>` escaped, what deceives left out. Quotes stay, so that
/// data in it stays readable: not for attributes. Linear.
std::string escape_markup(std::string_view text);

/// The same for an attribute: quotes are escaped too.
std::string escape_attribute(std::string_view text);

}  // namespace weft
