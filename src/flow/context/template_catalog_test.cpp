#include "flow/context/template_catalog.h"

#include <gtest/gtest.h>

#include "flow/context/planner.h"
#include "flow/memory/state_answer.h"

namespace weft {
namespace {

TEST(TemplateCatalog, HC_13_a_template_says_what_it_is_for_and_how_to_search) {
  const TemplateInfo info =
      read_template_info("court", "{#- A trial.\n  cues: judge, 审判，法官\n  weights: lore 1, event 0.1 -#}\n<x/>");
  EXPECT_EQ(info.about, "A trial.");
  EXPECT_EQ(info.cues, (std::vector<std::string>{"judge", "审判", "法官"}));
  ASSERT_TRUE(info.weights);
  EXPECT_EQ(info.weights->lore, 1);
  EXPECT_EQ(info.weights->event, 0.1);
  EXPECT_EQ(info.weights->narrative, DomainWeight().narrative);
  for (const char* broken : {"", "{#", "<x/>", "{#- weights: lore 7, x, narrative -#}"})
    EXPECT_FALSE(read_template_info("x", broken).weights) << broken;
}

TEST(TemplateCatalog, HC_2_the_turn_chooses) {
  const std::vector<TemplateInfo> all{{"court", "", {"judge", "法官"}, {}},
                                      {"fight", "", {"attack", "draw my sword"}, {}}};
  EXPECT_EQ(template_for("The judge speaks.", "", all)->id, "court");
  EXPECT_EQ(template_for("法官说话了", "", all)->id, "court");
  EXPECT_EQ(template_for("I draw my sword before the judge and attack", "", all)->id, "fight");
  EXPECT_EQ(template_for("I walk.", "The judge speaks.", all), nullptr);
}

TEST(GoalTalk, HC_13_goals_are_set_and_given_up_in_words) {
  for (const char* text :
       {"My goal is to find the crown.", "From now on we hunt the wolf.", "我的目标是找到王冠。", "我发誓要报仇。"})
    EXPECT_FALSE(goal_in(text).stated.empty()) << text;
  for (const char* text :
       {"I open the door.", "What is my goal?", "Is my goal to find the crown?", "我打开门。", "My goal is"})
    EXPECT_TRUE(goal_in(text).stated.empty()) << text;
  for (const char* text : {"I give up on that.", "目标达成！", "我放弃了。"}) EXPECT_TRUE(goal_in(text).ended) << text;
}

TEST(StateAnswer, HC_14_blocks_of_an_answer_are_one_change) {
  const auto one =
      operations_in_answer("Hit.\n```state\n[[\"ADD\",\"a.hp\",-5]]\n```\nAnd\n```state\n[\"SET\",\"a.x\",1]\n```");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].state, "default");
  EXPECT_EQ(one[0].operations, R"([["ADD","a.hp",-5],["SET","a.x",1]])");
  EXPECT_EQ(operations_in_answer("```state town\n[]\n```").front().state, "town");
  EXPECT_FALSE(operations_in_answer("```state\n[[\"ADD\"\n```").front().problem.empty());
  EXPECT_TRUE(operations_in_answer("```json\n```state\n[]\n```").empty()) << "inside of another fence";
  EXPECT_TRUE(operations_in_answer("no block").empty());
}

}  // namespace
}  // namespace weft
