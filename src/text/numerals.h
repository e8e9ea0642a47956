#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "text/plain_words.h"
#include "text/protected_spans.h"

namespace weft {

/// Numbers in words become digits: "twenty-five" and 二十五 "25", "three hundred and ten" and 三百一十 "310", 二〇二四
/// "2024", "5 thousand" and 5千 "5000", also "one" and 一 where they are no counting. Two digits in a row without a
/// unit (三四个, "three or four") stay as they are. What would pass 10^15 stays in words. Linear.
std::vector<PlainWord> fold_numerals(const std::vector<PlainWord>& words);

/// A word that is a number by itself.
struct NumberWord {
  int value = 0;
  bool ordinal = false;
};

/// The English words from "zero" to "ninety" and from "first" to "thirtieth", in lower case.
std::optional<NumberWord> english_number(std::string_view word);

/// The digit that a Chinese character is, 零 to 九 and 两.
std::optional<int> chinese_digit(std::string_view character);

/// 10 to 1000: what 十, 百 or 千 multiplies by.
std::optional<int> chinese_scale(std::string_view character);

/// The numbers of a text that count or measure something that is no time, with their units: "200 degrees", "$40",
/// "twelve nights", 1100块, 三个苹果, 第3章. Lengths of time ("two weeks") are left to the time grammar. In order.
/// Linear. Safe from any thread.
std::vector<Span> measure_spans(std::string_view text);

}  // namespace weft
