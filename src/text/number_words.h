#pragma once

#include <optional>
#include <string_view>

namespace weft {

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

}  // namespace weft
