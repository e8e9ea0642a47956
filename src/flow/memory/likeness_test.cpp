#include "flow/memory/likeness.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(WordLikeness, MS_5_same_matter_is_alike_in_both_languages) {
  const WordLikeness words;
  EXPECT_DOUBLE_EQ(words.between("Compare the prices of rival products", "compare the PRICES of rival products"), 1);
  EXPECT_GT(words.between("compare competing products by price", "compare the prices of competing products"), 0.6);
  EXPECT_LT(words.between("compare competing products by price", "water the plants on the balcony"), 0.3);
  EXPECT_GT(words.between("分析竞品的定价", "对竞品的定价做分析"), 0.6);
  EXPECT_LT(words.between("分析竞品的定价", "给阳台的花浇水"), 0.3);
}

TEST(WordLikeness, MS_5_a_name_in_common_puts_no_two_texts_on_one_matter) {
  const WordLikeness words;
  for (const std::string name : {"a1b2c3", "f00d42", "7e91ab", "deadbeef", "558f52", "df0463"})
    EXPECT_LT(words.between("Prefer the mirror " + name + " for downloads", "Check the prices of " + name + " twice"),
              0.6)
        << name;
}

TEST(WordLikeness, MS_5_what_has_no_words_is_like_nothing) {
  const std::vector<std::string> others{"", "water", "!!!"};
  for (const double one : WordLikeness().to_all("", others)) EXPECT_EQ(one, 0);
}

}  // namespace
}  // namespace weft
