#include "flow/stream/border_rate.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

BorderRate after(int turns, double logit) {
  BorderRate rate;
  for (int i = 0; i < turns; ++i) rate.take(logit);
  return rate;
}

TEST(BorderRate, ST_8_a_conversation_that_nothing_is_known_of_changes_as_often_as_any) {
  EXPECT_EQ(BorderRate().shift(), 0);
}

TEST(BorderRate, ST_8_where_little_speaks_for_a_change_the_same_evidence_says_less_with_each_turn) {
  double before = 0;
  for (const int turns : {1, 10, 50, 150}) {
    const double shift = after(turns, -3).shift();
    EXPECT_LT(shift, before) << turns;
    before = shift;
  }
  EXPECT_GT(after(20, 2).shift(), 0) << "and more where subjects change all the time";
}

TEST(BorderRate, ST_8_a_conversation_that_was_quiet_for_long_still_changes_its_subject) {
  BorderRate rate = after(100'000, -20);
  EXPECT_GT(rate.shift(), -3.5);
  EXPECT_LE(rate.turns, 201);
  const double quiet = rate.shift();
  for (int i = 0; i < 5; ++i) rate.take(3);
  EXPECT_GT(rate.shift(), quiet + 0.5);
}

}  // namespace
}  // namespace weft
