#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "text/protected_spans.h"
#include "text/words.h"

namespace weft {

/// A word that names a time only as seen from the moment of speaking.
struct RelativeTime {
  std::size_t begin = 0, end = 0;  ///< bytes of the text
  Language language = Language::kEnglish;
};

/// The words of the gate's lists for times and their nearest relatives, outside the protected spans, in order: today,
/// last week, recently, 刚才, 下周三. 最近 in the sense of "nearest" is left out. This is what a text may not hold
/// unresolved; what a text says about times in full is found by `find_time_expressions`. Linear. Safe from any thread.
std::vector<RelativeTime> find_relative_times(std::string_view text, const std::vector<Span>& protected_by);

}  // namespace weft
