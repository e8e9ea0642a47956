#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/protected_spans.h"
#include "text/words.h"
#include "weft/time.h"

namespace weft {

/// A word that names a time only as seen from the moment of speaking.
struct RelativeTime {
  enum class Kind { kDay, kNight, kWeek, kMonth, kYear, kWeekend, kWeekday, kRecent, kJustNow, kLater };

  std::size_t begin = 0, end = 0;  ///< bytes of the text
  Kind kind = Kind::kDay;
  int offset = 0;     ///< in days, weeks, months or years from the moment of speaking
  int weekday = 0;    ///< for kWeekday, Monday is 0; `offset` counts weeks
  Language language = Language::kEnglish;
};

/// The words of the gate's lists for times and their nearest relatives, outside the protected spans, in order: today,
/// last week, recently, 刚才, 下周三. 最近 in the sense of "nearest" is left out. This is what a rewritten text may not
/// hold; what a text says about times in full is found by `find_time_expressions`. Linear. Safe from any thread.
std::vector<RelativeTime> find_relative_times(std::string_view text, const std::vector<Span>& protected_by);

/// What stands in its place for a reader who does not know when it was said: "on 5 March 2026", "2026年3月5日".
/// `after_preposition`: "for", "since" or the like stands before it, so that "on" is left out.
std::string absolute_words(const RelativeTime& time, Time spoken, bool after_preposition);

}  // namespace weft
