#include "flow/recall/question_readings.h"

#include <gtest/gtest.h>

#include <string>

namespace weft {
namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr Time kNow{1'773'835'200'000, 60};

RecallQuery asked(const std::string& text, std::optional<Time> now) {
  RecallQuery query;
  query.text = text;
  query.now = now;
  return query;
}

TEST(QuestionReadings, MS_5_the_searches_of_one_prompt_read_their_question_once) {
  QuestionReadings questions;
  const auto first = questions.read(asked("What did I cook yesterday?", kNow));
  EXPECT_EQ(questions.read(asked("What did I cook yesterday?", Time{kNow.ms + 900, 60})), first);
  EXPECT_EQ(first->ranges, read_query(asked("What did I cook yesterday?", kNow)).ranges);
  EXPECT_FALSE(first->ranges.empty());
}

TEST(QuestionReadings, MS_5_what_would_be_read_otherwise_is_read_anew) {
  QuestionReadings questions;
  const auto first = questions.read(asked("昨天做了什么菜？", kNow));
  EXPECT_NE(questions.read(asked("昨天做了什么菜", kNow)), first);
  EXPECT_NE(questions.read(asked("昨天做了什么菜？", Time{kNow.ms + kMinute, 60})), first);
  EXPECT_NE(questions.read(asked("昨天做了什么菜？", Time{kNow.ms, 0})), first);
  EXPECT_NE(questions.read(asked("昨天做了什么菜？", {})), first);
  EXPECT_TRUE(questions.read(asked("昨天做了什么菜？", {}))->ranges.empty());
}

TEST(QuestionReadings, PF_5_few_are_kept_and_none_after_forgetting) {
  QuestionReadings questions;
  const auto first = questions.read(asked("Where is the red bicycle?", kNow));
  for (int i = 0; i < 20; ++i) questions.read(asked("Where is bicycle " + std::to_string(i) + "?", kNow));
  EXPECT_EQ(first.use_count(), 1);
  const auto last = questions.read(asked("Where is the red bicycle?", kNow));
  questions.clear();
  EXPECT_EQ(last.use_count(), 1);
}

}  // namespace
}  // namespace weft
