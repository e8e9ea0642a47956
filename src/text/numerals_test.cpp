#include "text/numerals.h"

#include <gtest/gtest.h>

#include <string>

namespace weft {
namespace {

std::string folded(std::string_view text) {
  std::string out;
  for (const PlainWord& word : fold_numerals(plain_words(text))) out += (out.empty() ? "" : " ") + word.text;
  return out;
}

TEST(Numerals, CM_16_numbers_in_words_are_digits) {
  EXPECT_EQ(folded("three hundred and ten"), "310");
  EXPECT_EQ(folded("5 thousand"), "5000");
  EXPECT_EQ(folded("三百二十"), "320");
  EXPECT_EQ(folded("一百二"), "120");
  EXPECT_EQ(folded("3万"), "30000");
  EXPECT_EQ(folded("二〇二四"), "2024");
}

TEST(Numerals, CM_16_what_no_number_holds_stays_in_words) {
  EXPECT_EQ(folded("一千万亿"), "1000000000000000");
  for (const char* text : {"九千亿亿", "九千亿亿亿", "一万万万万万亿亿亿", "万一", "亿万富翁"}) {
    EXPECT_EQ(folded(text).find_first_of("0123456789"), std::string::npos) << text << ": " << folded(text);
  }
}

}  // namespace
}  // namespace weft
