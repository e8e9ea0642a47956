#pragma once

#include <vector>

#include "text/plain_words.h"

namespace weft {

/// Numbers in words become digits: "twenty-five" and 二十五 "25", "three hundred and ten" and 三百一十 "310", 二〇二四
/// "2024", "5 thousand" and 5千 "5000", also "one" and 一 where they are no counting. Two digits in a row without a
/// unit (三四个, "three or four") stay as they are. What would pass 10^15 stays in words. Linear.
std::vector<PlainWord> fold_numerals(const std::vector<PlainWord>& words);

}  // namespace weft
