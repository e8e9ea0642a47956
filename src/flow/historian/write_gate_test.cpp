#include "flow/historian/write_gate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/large_text.h"

namespace weft {
namespace {

TEST(WriteGate, PF_15_empty_talk_is_refused_in_both_languages) {
  for (const char* text :
       {"ok thanks!", "好的收到", "哈哈哈哈", "sounds good, talk later", "", "👍👍", "Hi Ann!", "谢谢您，再见"}) {
    const auto refused = judge(text, {});
    ASSERT_TRUE(refused) << text;
    EXPECT_EQ(refused->reason, Refusal::kEmptyTalk) << text;
  }
}

TEST(WriteGate, PF_15_a_duplicate_names_the_memory_it_repeats) {
  DuplicateIndex known;
  known.add("m1", "I am allergic to peanuts.");
  known.add("m2", "我对花生过敏");
  GateContext context;
  context.known = &known;
  const auto english = judge("By the way, I'm allergic to peanuts!", context);
  ASSERT_TRUE(english);
  EXPECT_EQ(english->reason, Refusal::kDuplicate);
  EXPECT_EQ(english->of_id, "m1");
  const auto chinese = judge("记住，我对花生过敏哦", context);
  ASSERT_TRUE(chinese);
  EXPECT_EQ(chinese->of_id, "m2");
  EXPECT_FALSE(judge("I am allergic to walnuts.", context));
  EXPECT_FALSE(judge("我对牛奶过敏", context));
  EXPECT_FALSE(judge("I am allergic to peanuts and carry a pen for emergencies.", context));
}

TEST(WriteGate, PF_15_recalled_text_that_comes_back_is_refused_and_what_is_new_stays) {
  const std::vector<std::string> recalled = {"The user lives in Berlin with two cats.", "用户在上海的一家医院当护士"};
  GateContext context;
  context.recalled = &recalled;
  for (const char* text :
       {"As you told me, you live in Berlin with two cats.", "根据我的记忆，您在上海的一家医院当护士。"}) {
    const auto refused = judge(text, context);
    ASSERT_TRUE(refused) << text;
    EXPECT_EQ(refused->reason, Refusal::kEcho);
    EXPECT_DOUBLE_EQ(refused->share, 1);
  }
  EXPECT_TRUE(judge("From what I know, you live in Berlin with two cats, right?", context));
  EXPECT_FALSE(judge("Do you live in Berlin with two cats or with three?", context));
  EXPECT_FALSE(judge("You live in Berlin with three cats.", context));
  EXPECT_FALSE(judge("您在北京的一家医院当护士。", context));
}

TEST(WriteGate, PF_15_a_memory_pieced_together_from_others_is_new) {
  const std::vector<std::string> recalled = {"Ann moved to Bern in 2019", "Bob moved to Oslo in 2021"};
  EXPECT_EQ(without_echo("Ann moved to Oslo in 2021", recalled), "Ann moved to Oslo in 2021");
}

TEST(WriteGate, PF_15_loops_are_refused_from_the_third_time_on) {
  const std::vector<std::string> twice = {"I will read the file again.", "I will read the file again."};
  const std::vector<std::string> turns = {"打开文件", "保存文件", "打开文件", "保存文件"};
  GateContext context;
  context.recent = twice;
  const auto refused = judge("I will read the file again.", context);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason, Refusal::kLoop);
  EXPECT_FALSE(judge("I will read the other file.", context));
  EXPECT_FALSE(is_loop("I will read the file again.", std::span(twice).first(1)));
  EXPECT_TRUE(is_loop("打开文件", turns));
  EXPECT_FALSE(is_loop("关闭文件", turns));
}

TEST(WriteGate, PF_15_repetition_inside_a_text_collapses) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "The build failed because of the linker. ";
  const Collapsed once = collapse_repeats(text);
  EXPECT_EQ(once.text, "The build failed because of the linker.");
  EXPECT_EQ(once.times, 50U);
  EXPECT_EQ(judge(text, {})->reason, Refusal::kLoop);
  EXPECT_EQ(collapse_repeats("测试失败测试失败测试失败测试失败").text, "测试失败");
  EXPECT_EQ(collapse_repeats("I like tea. I like tea. You do not.").text, "I like tea. You do not.");
  EXPECT_EQ(collapse_repeats("He said no, no, never.").text, "He said no, no, never.");
}

TEST(WriteGate, PF_15_large_and_broken_input_has_a_result) {
  DuplicateIndex known;
  known.add("m", "I like tea");
  const std::vector<std::string> recalled = {"I like tea with milk and sugar in the morning"};
  GateContext context;
  context.known = &known;
  context.recalled = &recalled;
  for (const std::string part :
       {"a", "a ", "哈", "一", "tea, ", "ok, ", "\xFF", "7", "\n", "and ", "我喜欢茶。", "$", "on "}) {
    std::string text;
    while (text.size() < test::kLargeText) text += part;
    judge(text, context);
    EXPECT_LE(collapse_repeats(text).text.size(), text.size());
  }
}

}  // namespace
}  // namespace weft
