#pragma once

#include <string>
#include <string_view>

#include "weft/message.h"

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

/// An answer of a model in two parts.
struct SaidAndThought {
  std::string said;     ///< for the reader, without blanks where a thought was cut out at an end
  std::string thought;  ///< the model's own; empty: there was none
};

/// Parts an answer into what it says and the thoughts that a model wrote into it, between `<think>` and `</think>` or
/// the marks of other models, in letters of either case. A closing mark alone ends a thought that the model's template
/// had opened; a thought at the beginning of a line that nothing closes goes to the end. Marks in code, or within a
/// sentence about them, are text. Linear.
SaidAndThought split_thoughts(std::string_view answer);

/// Moves such thoughts of an assistant's message from its content to its reasoning. What it was read from (`raw`)
/// stays. False where there are none.
bool part_thoughts(Message& message);

}  // namespace weft
