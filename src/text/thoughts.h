#pragma once

#include <string>
#include <string_view>

namespace weft {

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

}  // namespace weft
