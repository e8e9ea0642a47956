#include "eval/skills.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

std::string write_file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

constexpr const char* kLines =
    R"({"skill":"a","lang":"en","name":"Prices","description":"compare prices of shops","when":["prices of shops"],"tuning":["compare the prices of the shops"],"held":["paint the fence"]}
{"skill":"b","lang":"zh","name":"报销","description":"报销流程","when":["提交报销单"],"tuning":["提交报销单"],"held":["报销单怎么提交"]}
{"unrelated":"what is the moon made of?","lang":"en","held":false}
{"unrelated":"compare prices of shops","lang":"en","held":true}
)";

TEST(SkillsEval, MS_4_counts_what_was_right_first_and_what_was_told_wrongly) {
  const auto report = eval_skills(write_file("skills.jsonl", kLines), WordLikeness());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->halves[0].tasks, 2);
  EXPECT_EQ(report->halves[0].right_first, 2);
  EXPECT_EQ(report->halves[0].injected, 0);
  EXPECT_EQ(report->halves[1].right_first, 1);
  EXPECT_EQ(report->halves[1].wrong_first, 0);
  EXPECT_EQ(report->halves[1].unrelated, 1);
  EXPECT_EQ(report->halves[1].injected, 1);
  EXPECT_EQ(report->halves[0].without_injected, 0);
  EXPECT_EQ(report->by_language.at("zh→zh").right_first, 1);
}

TEST(SkillsEval, MS_4_a_model_chooses_for_the_held_half) {
  ScriptedChat model;  // of these three tasks, one is too far from all skills to be asked about
  model.say(R"({"skills": ["b"]})").say("no JSON");
  const auto report = eval_skills(write_file("chosen.jsonl", kLines), WordLikeness(), &model);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->chosen.tasks, 2);
  EXPECT_EQ(report->chosen.right_first, 1);
  EXPECT_EQ(report->chosen.wrong_first, 0);
  EXPECT_EQ(report->chosen.injected, 1) << "the ranking stands where the answer is no choice";
  EXPECT_EQ(report->not_chosen, 1);
  EXPECT_EQ(model.requests().size(), 2U);
}

TEST(SkillsEval, MS_4_the_models_order_counts_not_the_rankings) {
  const std::string lines =
      R"({"skill":"a","lang":"en","name":"Prices","description":"compare prices","when":["prices of shops"],"tuning":[],"held":[]}
{"skill":"b","lang":"en","name":"Shops","description":"compare shops","when":["compare the prices of all shops"],"tuning":[],"held":[]}
{"skill":"c","lang":"en","name":"Order","description":"order","when":["prices"],"tuning":[],"held":["compare the prices of all shops"]}
)";
  const auto report_of = [&](const char* answer) {
    ScriptedChat model;
    model.say(answer);
    return eval_skills(write_file("order.jsonl", lines), WordLikeness(), &model);
  };
  const auto first = report_of(R"({"skills": ["c", "b"]})"), last = report_of(R"({"skills": ["b", "c"]})");
  ASSERT_TRUE(first.ok() && last.ok());
  EXPECT_EQ(first->halves[1].right_first, 0) << "by the ranking the other one is";
  EXPECT_EQ(first->chosen.right_first, 1);
  EXPECT_EQ(last->chosen.right_first, 0);
  EXPECT_EQ(last->chosen.right_among, 1);
  const auto told = nlohmann::json::parse(to_json(*first)).at("held_by_choice");
  EXPECT_EQ(told.at("right_first"), 1);
  EXPECT_FALSE(told.contains("without_own")) << "nobody asked the model that";
}

TEST(SkillsEval, MS_4_a_line_that_is_none_is_named) {
  const auto report = eval_skills(write_file("wrong.jsonl", "{\"skill\":\"a\"}\n"), WordLikeness());
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("wrong.jsonl:1"), std::string::npos);
}

}  // namespace
}  // namespace weft
