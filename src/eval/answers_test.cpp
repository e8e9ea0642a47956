#include "eval/answers.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(WovenText, PF_14_a_message_is_held_where_half_of_its_words_stand_in_whole_sentences) {
  const WovenText woven("#1 Ann: The kiln opens at nine. It&quot;s &lt;hot&gt;.\n#2 user: 窑炉九点打开。");
  EXPECT_TRUE(woven.holds("The kiln opens at nine."));
  EXPECT_TRUE(woven.holds("The kiln opens at nine. Nobody knows."));
  EXPECT_TRUE(woven.holds("窑炉九点打开。"));
  EXPECT_FALSE(woven.holds("The kiln opens at ten."));
  EXPECT_FALSE(woven.holds("Nobody knows when it closes in winter, and it is a long way. The kiln opens at nine."));
  EXPECT_FALSE(woven.holds(""));
}

}  // namespace
}  // namespace weft
