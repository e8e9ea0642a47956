#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/protected_spans.h"

namespace weft {

/// A word of letters and digits with inner apostrophes and hyphens, or one mark of punctuation, or a run of another
/// script.
struct LatinWord {
  std::size_t begin = 0, end = 0;
  std::string lower;             ///< folded to lower case, ’ as '
  bool is_word = false;          ///< letters or digits
  bool protected_by_span = false;
  bool starts_sentence = false;
  bool capital = false;          ///< begins with a capital letter
  bool all_capitals = false;     ///< two letters or more, none of them small
};

/// The words of a text for English grammar; spaces are left out, everything else is there.
using LatinWords = std::vector<LatinWord>;

/// Linear; safe from any thread.
LatinWords read_latin_words(std::string_view text, const std::vector<Span>& protected_by);

}  // namespace weft
