#pragma once

#include <vector>

#include "text/plain_words.h"

namespace weft {

/// Dates and times of day in one form, so that they compare as they mean: "March 5th, 2024", "5 March 2024",
/// "2024-03-05" and 2024年3月5日 become the words "y2024", "m3", "d5"; "3 pm", "15:00" and 下午3点 "t15:00"; "Monday",
/// 周一 and 星期一 "w1", "Mondays" "w1s". What is no date stays ("may" without a number, 5号楼). Expects the words of
/// `fold_numerals`. Nothing is resolved: "tomorrow" stays. Linear.
std::vector<PlainWord> fold_dates(const std::vector<PlainWord>& words);

/// Whether `fold_dates` made this word: a part of a date, a time of day or a weekday.
bool is_date_word(const PlainWord& word);

}  // namespace weft
