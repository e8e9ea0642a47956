#include "engine/learning_budget.h"

#include <gtest/gtest.h>

#include "growth/learning_plan.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scripted_chat.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::FakeClock;
using test::TemporaryFolder;

class LearningBudgetTest : public testing::Test {
 protected:
  LearningBudgetTest() { config_.workspace = folder_.path().string(); }
  void plan(const LearningPlan& plan) { ASSERT_TRUE(write_learning_plan(folder_.path(), plan).ok()); }

  TemporaryFolder folder_;
  FakeClock clock_;
  Config config_;
};

TEST_F(LearningBudgetTest, RE_1_it_stops_at_the_budget_and_goes_on_the_next_day) {
  LearningPlan small;
  small.day_tokens = 1000;
  plan(small);
  LearningBudget budget(config_, clock_);
  EXPECT_TRUE(budget.open());
  budget.spend(999, 10);
  EXPECT_TRUE(budget.open());
  budget.spend(1, 10);
  EXPECT_FALSE(budget.open());
  EXPECT_EQ(learning_status(config_, clock_.now()).why, "the tokens of the day are used up");
  LearningBudget after_restart(config_, clock_);
  EXPECT_FALSE(after_restart.open()) << "what was used is kept";
  clock_.advance_minutes(24 * 60);
  EXPECT_TRUE(budget.open());
  EXPECT_TRUE(after_restart.open());
  EXPECT_EQ(learning_status(config_, clock_.now()).tokens, 0);
}

TEST_F(LearningBudgetTest, RE_1_minutes_and_hours_end_it_too_and_a_new_plan_holds_at_once) {
  LearningPlan short_one;
  short_one.day_minutes = 2;
  plan(short_one);
  LearningBudget budget(config_, clock_);
  budget.spend(1, 2 * 60'000);
  EXPECT_FALSE(budget.open());
  short_one.day_minutes = 3;
  plan(short_one);
  EXPECT_TRUE(budget.open());
  const std::int64_t hour = clock_.now().ms / 3'600'000 % 24;
  short_one.from_hour = (hour + 1) % 24;
  short_one.to_hour = (hour + 2) % 24;
  plan(short_one);
  EXPECT_FALSE(budget.open());
  clock_.advance_minutes(60);
  EXPECT_TRUE(budget.open());
  short_one.enabled = false;
  plan(short_one);
  EXPECT_FALSE(budget.open());
  EXPECT_EQ(learning_status(config_, clock_.now()).why, "learning is off");
}

TEST_F(LearningBudgetTest, RE_1_calls_for_which_somebody_waits_are_counted_and_never_refused) {
  LearningPlan none;
  none.day_tokens = 0;
  plan(none);
  LearningBudget budget(config_, clock_);
  EXPECT_FALSE(budget.open());
  ScriptedChat model;
  model.say("well");
  ChatModel* counted = budget.counted(&model);
  EXPECT_EQ(budget.counted(&model), counted);
  EXPECT_TRUE(counted->complete({}, Deadline{}, {}).ok());
  EXPECT_EQ(learning_status(config_, clock_.now()).calls, 1);
  EXPECT_EQ(budget.counted(nullptr), nullptr);
}

}  // namespace
}  // namespace weft
