#include "eval/skill_fit.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

SeenTask task(std::optional<std::size_t> skill) {
  SeenTask made;
  made.skill = skill;
  return made;
}

// Two skills in one library and one in another; a task for the first, one for the last, one for none.
SeenSkills seen() {
  SeenSkills made;
  made.skills.resize(3);
  made.tasks = {task(0), task(2), task(std::nullopt)};
  made.libraries = {{{0, 1}, {0, 1, 2}, 1}};
  return made;
}

bool all_of_them(const SeenTask&) { return true; }

TEST(SkillCuts, MS_4_how_a_task_stands_in_a_library) {
  const auto standings = standings_of(seen(), {{3, 1, 9}, {1, 2, 9}, {-1, 0, 9}}, all_of_them);
  ASSERT_EQ(standings.size(), 3u);
  EXPECT_EQ(standings[0].own, Own::kHere);
  EXPECT_TRUE(standings[0].right);
  EXPECT_EQ(standings[0].best.of, 2u);
  EXPECT_EQ(standings[0].others.value, 1);
  EXPECT_EQ(standings[0].others.of, 1u);
  EXPECT_EQ(standings[1].own, Own::kElsewhere);
  EXPECT_FALSE(standings[1].right);
  EXPECT_EQ(standings[2].own, Own::kNone);
}

TEST(SkillCuts, MS_4_work_counts_and_the_crowd_takes) {
  SkillWeights weights;
  EXPECT_DOUBLE_EQ(told_value({3, 2}, 1, weights), 3);
  weights.work_share = 0.5;
  EXPECT_DOUBLE_EQ(told_value({3, 2}, 1, weights), 3.5);
  weights.crowd = 1;
  EXPECT_LT(told_value({3, 100}, 0, weights), told_value({3, 5}, 0, weights));
}

TEST(SkillCuts, MS_4_the_cut_lies_between_what_is_right_and_what_is_wrong) {
  const SkillWeights weights;
  std::vector<std::vector<double>> values;
  SeenSkills many = seen();
  many.tasks.clear();
  many.libraries[0].tasks.clear();
  for (std::size_t i = 0; i < 300; ++i) {
    many.libraries[0].tasks.push_back(i);
    many.tasks.push_back(task(i % 3 == 0   ? std::optional<std::size_t>(0)
                              : i % 3 == 1 ? std::optional<std::size_t>(2)
                                           : std::nullopt));
    const double jitter = static_cast<double>(i) / 1000;
    const double best = i % 3 == 0 ? 5 : i % 3 == 1 ? 2 : 1;
    values.push_back({best + jitter, jitter, 0});
  }
  const auto cuts = best_cuts(standings_of(many, values, all_of_them), std::vector<double>(300), weights);
  EXPECT_NEAR(cuts.refer, (5 + 2.298) / 2, 0.01) << "halfway, since what is seen is not all there is";
  EXPECT_GT(cuts.follow, cuts.refer);
  EXPECT_GT(cuts.worth, 4);
}

}  // namespace
}  // namespace weft
