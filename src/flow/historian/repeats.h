#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace weft {

/// A text without what it says over and over, and how much that was.
struct Collapsed {
  std::string text;
  std::size_t times = 1;  ///< how often the part came that was repeated most
  double share = 0;       ///< of the text's bytes that were taken out
};

/// Sentences, or sequences of up to 8 sentences, that come again right behind themselves stay once; so do sequences of
/// up to 16 words or characters from the fourth time on ("the the the the", 测试测试测试测试). Linear.
Collapsed collapse_repeats(std::string_view text);

/// Whether `text` goes round: it and what came before it, the newest last, are at least the third turn of the same one
/// to four texts. Reads at most the last eight of `recent`.
bool is_loop(std::string_view text, std::span<const std::string> recent);

}  // namespace weft
