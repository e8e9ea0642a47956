#pragma once

#include <cstdint>
#include <vector>

#include "text/time/lexer.h"

namespace weft::timex {

/// A number in digits or words that stands at some token.
struct Numeral {
  std::size_t end = 0;  ///< token behind it
  double value = 0;
  bool ordinal = false;
  bool words = false;  ///< not written in digits
  bool year = false;  ///< said as years are: "nineteen eighty-four", 二零一六, four digits
  int digits = 0;  ///< how many, where written in digits or read digit by digit
};

/// All readings of the tokens from `at` on as one number, short ones first. Looks at a bounded number of tokens.
std::vector<Numeral> numerals_at(const std::vector<Token>& tokens, std::size_t at);

}  // namespace weft::timex
