#pragma once

#include <string>

#include "text/time/when.h"

namespace weft::timex {

/// "2018-03-29", "2018-03-29T17:00:00", "2018-03-29/2018-04-02", "2018-03-29/..", "../2018-03-29".
std::string iso_value(const Meaning& meaning);

/// How the words that are replaced stand in their sentence.
enum class Position {
  kAdverb,  ///< "we met yesterday": a preposition is wanted
  kNoun,  ///< "since yesterday", "Friday is fine"
  kPossessive,  ///< "yesterday's meeting"
};

/// The meaning in words that need no calendar: "on 5 March 2026", "on the night of 4 March 2026", "in March 2026".
std::string english_words(const When& when, const Meaning& meaning, Position position);

/// 2026年3月5日下午3点, 2026年3月5日至8日.
std::string chinese_words(const When& when, const Meaning& meaning);

/// The meaning as it is set beside the words it explains: "5 March 2026", "9 to 21 May 2026", "the week of 2 March
/// 2026".
std::string english_note(const When& when, const Meaning& meaning);

/// The same in Chinese: 2026年3月5日, 2026年5月9日至21日.
std::string chinese_note(const When& when, const Meaning& meaning);

/// A day with its weekday: "Sunday, 3 May 2026"; without: "3 May 2026". The same in Chinese: 2026年5月3日 星期日.
std::string english_day(Moment at, bool weekday);
std::string chinese_day(Moment at, bool weekday);

/// The name of the season that begins at a moment: "summer 2026", "winter 2026/27"; 2026年夏季.
std::string english_season(Moment begin);
std::string chinese_season(Moment begin);

}  // namespace weft::timex
