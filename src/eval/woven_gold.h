#pragma once

#include <string>
#include <string_view>

namespace weft {

/// What a model reads, for asking whether it holds what a message said.
class WovenText {
 public:
  explicit WovenText(std::string_view prompt);

  /// Whether sentences that make up half of the message's words (of a long message 100 words) stand there word by word.
  /// Escapes count as what they stand for.
  bool holds(std::string_view message) const;

 private:
  std::string words_;  ///< of the whole text, each between blanks
};

}  // namespace weft
