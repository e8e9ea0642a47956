#pragma once

#include <cstddef>
#include <string_view>

namespace weft {

/// Whether the whole text fits the pattern, in which '*' stands for any text and `same(of the pattern, of the text)`
/// says which characters are alike. Time is at most the product of both lengths, however many stars there are.
template <class Same>
bool glob(std::string_view pattern, std::string_view text, const Same& same) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && same(pattern[p], text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      // What the last star stands for becomes longer; earlier ones need not be tried again.
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace weft
