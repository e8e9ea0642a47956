#include <gtest/gtest.h>

#include "eval/conversations.h"

namespace weft {
namespace {

using Ids = std::vector<std::string>;

TEST(RecallMetrics, recall_is_the_share_of_the_evidence_within_the_cut) {
  RecallTally tally;
  tally.add({"q", "", "a", {{"1"}, {"2"}, {"3"}, {"4"}}},
            Ids{"x", "1", "y", "z", "2", "3", "w", "w2", "w3", "w4", "w5", "4"});
  const RecallScore score = tally.mean();
  EXPECT_DOUBLE_EQ(score.recall[0], 0.5);
  EXPECT_DOUBLE_EQ(score.recall[1], 0.75);
  EXPECT_DOUBLE_EQ(score.recall[2], 1);
  EXPECT_DOUBLE_EQ(score.any, 1);
  EXPECT_DOUBLE_EQ(score.all, 0);
}

TEST(RecallMetrics, of_a_group_any_message_is_enough) {
  RecallTally tally;
  tally.add({"q", "", "a", {{"1", "2", "3"}, {"4"}}}, Ids{"3", "4"});
  EXPECT_DOUBLE_EQ(tally.mean().recall[0], 1);
  EXPECT_DOUBLE_EQ(tally.mean().all, 1);
}

TEST(RecallMetrics, repetitions_take_one_place) {
  RecallTally tally;
  tally.add({"q", "", "a", {{"2"}}}, Ids{"1", "1", "1", "1", "1", "2"});
  EXPECT_DOUBLE_EQ(tally.mean().recall[0], 1);
}

TEST(RecallMetrics, means_are_over_questions_and_by_category) {
  RecallTally tally;
  tally.add({"q1", "", "a", {{"1"}}}, Ids{"1"});
  tally.add({"q2", "", "a", {{"1"}}}, Ids{"2"});
  tally.add({"q3", "", "b", {{"1"}}}, Ids{});
  tally.add({"no evidence", "", "b", {}}, Ids{"1"});
  EXPECT_EQ(tally.mean().questions, 3u);
  EXPECT_NEAR(tally.mean().recall[0], 1.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(tally.mean_by_category().at("a").any, 0.5);
  EXPECT_DOUBLE_EQ(tally.mean_by_category().at("b").recall[2], 0);
  EXPECT_EQ(RecallTally().mean().questions, 0u);
}

}  // namespace
}  // namespace weft
