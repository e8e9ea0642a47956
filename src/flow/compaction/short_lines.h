#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace weft {

/// How much each part of an output has to do with a request: rare words that both share count most. Made once for an
/// output; keeps no view into it.
class RequestMatch {
 public:
  RequestMatch(std::string_view request, const std::vector<std::string_view>& parts);

  /// 0 to 1: the share of the request's weight that stands in that part of `parts`.
  double of(std::size_t part) const { return score_[part]; }

 private:
  std::vector<double> score_;
};

/// Lines of a text cut to at most `bytes`: errors, what speaks of the request, changed lines of a diff, the beginning
/// and the end. Marks say which lines are left out between.
struct ShortLines {
  std::string text;
  std::size_t lines = 0;        ///< of the whole
  std::size_t lines_left = 0;   ///< of it that are left out
  std::size_t first_left = 0;   ///< the first of them, from 1; 0: none
};
ShortLines short_lines(std::string_view text, std::size_t bytes, std::string_view request);

}  // namespace weft
