#include "growth/skill_lesson.h"

#include <gtest/gtest.h>

#include "tests/support/large_text.h"

namespace weft {
namespace {

std::vector<std::string> steps_of(std::string_view text) {
  const auto lesson = taught_procedure(text);
  if (!lesson) return {};
  const auto skill = skill_from_lesson(*lesson);
  std::vector<std::string> steps;
  if (skill.ok())
    for (const SkillStep& step : skill->steps) steps.push_back(step.action);
  return steps;
}

using Steps = std::vector<std::string>;

TEST(TaughtProcedure, MS_4_a_sentence_that_says_what_comes_first_and_what_then) {
  EXPECT_EQ(
      steps_of("From now on, when you deploy: first run the tests, then tag the commit and finally tell the team."),
      (Steps{"run the tests", "tag the commit", "tell the team"}));
  EXPECT_EQ(steps_of("Whenever you answer a customer, first look up the order, after that write the reply."),
            (Steps{"look up the order", "write the reply"}));
  EXPECT_EQ(steps_of("以后发布要先跑测试，再打标签，最后通知大家。"), (Steps{"跑测试", "打标签", "通知大家"}));
  EXPECT_EQ(steps_of("每次写周报，首先看工单，然后列出数字，最后写结论"), (Steps{"看工单", "列出数字", "写结论"}));
}

TEST(TaughtProcedure, MS_4_a_list_under_its_occasion) {
  EXPECT_EQ(steps_of("From now on, releases go like this:\n1. run the tests\n2. tag the commit\nThanks!"),
            (Steps{"run the tests", "tag the commit"}));
  EXPECT_EQ(steps_of("今后开会前：\n1、发议程\n2、订会议室"), (Steps{"发议程", "订会议室"}));
}

TEST(TaughtProcedure, MS_4_the_occasion_becomes_its_condition) {
  const auto english =
      taught_procedure("From now on, when you deploy, please first run the tests, then tag the commit.");
  ASSERT_TRUE(english);
  EXPECT_EQ(skill_from_lesson(*english)->trigger_conditions, std::vector<std::string>{"when you deploy"});
  const auto chinese = taught_procedure("以后发布新版本的时候要先跑测试，再打标签");
  ASSERT_TRUE(chinese);
  EXPECT_EQ(skill_from_lesson(*chinese)->description, "发布新版本的时候");
}

TEST(TaughtProcedure, MS_4_what_is_asked_told_or_meant_once_is_no_lesson) {
  for (const char* text : {"First run the tests, then tag the commit.", "From now on, when you deploy, run the tests.",
                           "Whenever I cook, I first chop the onions, then I heat the pan.",
                           "From now on, should you first run the tests, then tag the commit?", "From now on be brief.",
                           "In the future we will first build a house, then sell it.",
                           "Always first name, then last name.", "我每次做饭都先切菜，再热锅", "先跑测试再打标签",
                           "以后要先问我", "每次都先看工单再回答吗？", "以后先生来了再说", ""})
    EXPECT_FALSE(taught_procedure(text)) << text;
}

TEST(TaughtProcedure, PF_21_lines_of_many_blanks_are_read) {
  const std::string blanks(test::kDeep, ' ');
  for (const char* begin : {"Step", "步骤", "第", "1.", "Step 1", "第三"})
    (void)skill_from_lesson({begin + blanks + "1 x\n" + begin + blanks + "2 y", "", ""});
}

}  // namespace
}  // namespace weft
