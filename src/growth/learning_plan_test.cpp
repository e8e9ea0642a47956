#include "growth/learning_plan.h"

#include <gtest/gtest.h>

#include "ports/files/file_system.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::TemporaryFolder;

Time at_hour(std::int64_t utc_hour, std::int32_t offset_minutes = 0) {
  return {1'772'323'200'000 + utc_hour * 3'600'000, offset_minutes};  // 2026-03-01, midnight
}

TEST(LearningPlan, RE_1_without_a_file_everybody_is_learnt_from_at_any_hour) {
  const TemporaryFolder folder;
  const auto plan = read_learning_plan(folder.path());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_TRUE(plan->enabled);
  EXPECT_GT(plan->day_tokens, 0);
  EXPECT_TRUE(learns_from(folder.path(), ScopeKey("user:ann")));
  for (std::int64_t hour = 0; hour < 24; ++hour) EXPECT_TRUE(is_time_for(*plan, at_hour(hour)));
}

TEST(LearningPlan, RE_1_what_is_written_holds_at_once) {
  const TemporaryFolder folder;
  LearningPlan plan;
  plan.scopes = "* -user:guest* group:club";
  ASSERT_TRUE(write_learning_plan(folder.path(), plan).ok());
  EXPECT_TRUE(learns_from(folder.path(), ScopeKey("user:ann")));
  EXPECT_FALSE(learns_from(folder.path(), ScopeKey("user:guest7")));
  EXPECT_TRUE(learns_from(folder.path(), ScopeKey("group:club")));
  plan.enabled = false;
  ASSERT_TRUE(write_learning_plan(folder.path(), plan).ok());
  EXPECT_FALSE(learns_from(folder.path(), ScopeKey("user:ann")));
  EXPECT_NE(learning_is_off(ScopeKey("user:ann")).message.find("user:ann"), std::string::npos);
}

TEST(LearningPlan, RE_1_hours_may_go_over_midnight_and_are_those_of_the_place) {
  LearningPlan night;
  night.from_hour = 22;
  night.to_hour = 6;
  EXPECT_TRUE(is_time_for(night, at_hour(22)));
  EXPECT_TRUE(is_time_for(night, at_hour(3)));
  EXPECT_FALSE(is_time_for(night, at_hour(6)));
  EXPECT_FALSE(is_time_for(night, at_hour(12)));
  EXPECT_TRUE(is_time_for(night, at_hour(15, 8 * 60))) << "23 o'clock in Shanghai";
  EXPECT_TRUE(is_time_for(night, at_hour(3, -4 * 60))) << "23 o'clock of the day before in New York";
  LearningPlan morning;
  morning.from_hour = 6;
  morning.to_hour = 9;
  EXPECT_TRUE(is_time_for(morning, at_hour(8)));
  EXPECT_FALSE(is_time_for(morning, at_hour(9)));
}

// It may be the very file that switches learning off.
TEST(LearningPlan, RE_1_where_the_file_makes_no_sense_nothing_is_learnt_and_the_field_is_named) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "learning.json", R"({"from_hour": 25})", false).ok());
  const auto plan = read_learning_plan(folder.path());
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().message.find("from_hour"), std::string::npos) << plan.error().message;
  EXPECT_FALSE(learns_from(folder.path(), ScopeKey("user:ann")));
  LearningPlan never;
  never.from_hour = never.to_hour = 7;
  EXPECT_EQ(write_learning_plan(folder.path(), never).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace weft
