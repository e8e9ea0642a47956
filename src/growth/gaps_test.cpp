#include "growth/gaps.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

const std::vector<ToolInfo>& booking() {
  static const std::vector<ToolInfo> tools{
      {"table_book", "Books a table in a restaurant.",
       R"({"type":"object","properties":{"city":{"type":"string"},"date":{"type":"string","format":"date"},
           "people":{"type":"integer"},"seating":{"type":"string","enum":["inside","terrace"]},
           "note":{"type":"string"}},"required":["city","date","people","seating"]})"}};
  return tools;
}

std::vector<std::string> kinds(const std::vector<Gap>& gaps) {
  std::vector<std::string> out;
  for (const Gap& gap : gaps)
    out.push_back(std::string(to_string(gap.kind)) + " " + std::string(to_string(gap.question)));
  return out;
}

using List = std::vector<std::string>;

TEST(Gaps, CU_1_arguments_that_nobody_said_are_asked_for) {
  const auto open = gaps_before("please book a table in a nice restaurant", {}, booking());
  ASSERT_EQ(open.size(), 4u);
  for (const Gap& gap : open) EXPECT_TRUE(gap.ask);
  EXPECT_EQ(open[3].choices, (List{"inside", "terrace"}));
  EXPECT_EQ(open[3].question, QuestionKind::kDecision);

  const List known{"Ann lives in Paris.", "She prefers the terrace."};
  EXPECT_EQ(gaps_before("book a table in a restaurant tomorrow for 4 of us", known, booking()).size(), 0u);
  const auto one = gaps_before("book a table in a restaurant for 4 of us", known, booking());
  ASSERT_EQ(one.size(), 1u);
  EXPECT_NE(one[0].what.find("date"), std::string::npos);
  EXPECT_TRUE(gaps_before("tell me a story", {}, booking()).empty());  // another matter
}

TEST(Gaps, CU_1_what_research_finds_is_not_asked) {
  const std::vector<ToolInfo> tools{{"order_place", "Places an order of goods.",
                                     R"({"properties":{"price":{"type":"number"},"recipient":{"type":"string"}},
                                         "required":["price","recipient"]})"}};
  const auto gaps = gaps_before("place an order of the goods", {}, tools);
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_FALSE(gaps[0].ask);
  EXPECT_TRUE(gaps[1].ask);
}

TEST(Gaps, CU_1_schemas_that_are_none_need_nothing) {
  for (const char* schema :
       {"", "{", "[]", R"({"required":"x"})", R"({"required":[1]})", R"({"properties":3,"required":["a"]})"})
    EXPECT_TRUE(
        gaps_before("book a table in a restaurant", {}, std::vector<ToolInfo>{{"table_book", "Books a table.", schema}})
            .empty())
        << schema;
}

TEST(Gaps, CU_1_the_border_of_what_a_program_can_do) {
  EXPECT_EQ(kinds(gaps_before("Call them and go to the shop.", {}, {})), List{"physical action"});
  EXPECT_EQ(kinds(gaps_before("去现场拍照，然后写一份报告。", {}, {})), List{"physical action"});
  EXPECT_EQ(kinds(gaps_before("Download the list from our intranet.", {}, {})), List{"restricted action"});
  EXPECT_EQ(kinds(gaps_before("从公司内网下载名单。", {}, {})), List{"restricted action"});
  EXPECT_EQ(kinds(gaps_before("Which of the two logos looks nicer?", {}, {})), List{"taste judgement"});
  EXPECT_EQ(kinds(gaps_before("这个设计好看吗？", {}, {})), List{"taste judgement"});
  EXPECT_EQ(kinds(gaps_before("The day of the meeting is to be decided.", {}, {})), List{"missing knowledge"});
  EXPECT_EQ(kinds(gaps_before("会议时间待定。", {}, {})), List{"missing knowledge"});
  EXPECT_TRUE(gaps_before("Summarise the report in ten lines.", {}, {}).empty());
  EXPECT_TRUE(gaps_before("把这份报告总结成十行。", {}, {}).empty());
  const std::vector<ToolInfo> camera{{"photo_take", "Takes a photo with the camera.", "{}"}};
  EXPECT_TRUE(gaps_before("Take a photo of the door.", {}, camera).empty());
}

TEST(Gaps, CU_1_answers_that_are_not_sure) {
  EXPECT_EQ(kinds(gaps_after("I am not sure when the shop opens.", {})), List{"uncertain knowledge"});
  EXPECT_EQ(kinds(gaps_after("我不确定这家店几点开门。", {})), List{"uncertain knowledge"});
  EXPECT_EQ(kinds(gaps_after("It may be nine. It is probably closed on Monday.", {})), List{"uncertain knowledge"});
  EXPECT_TRUE(
      gaps_after("It opens at nine. It closes at five. It is probably full at noon. The bus goes there. It is on "
                 "the left. Bring money. Ask for Tom. He is nice.",
                 {})
          .empty());
  EXPECT_FALSE(gaps_after("I am not sure when it opens.", {})[0].ask);
  EXPECT_EQ(kinds(gaps_after("We can take the train. Alternatively the bus.", {})), List{"wavering decision"});
  EXPECT_EQ(kinds(gaps_after("坐火车快，要么坐汽车，各有利弊。", {})), List{"wavering decision"});
  const auto offered = gaps_after("Two ways:\nA. by train\nB. by bus\nWhich one?", {});
  ASSERT_EQ(offered.size(), 1u);
  EXPECT_EQ(offered[0].choices, (List{"by train", "by bus"}));
  EXPECT_TRUE(gaps_after("", {}).empty());
}

TEST(Gaps, CU_1_answers_that_clash_with_beliefs) {
  Belief belief;
  belief.dimension = "language";
  belief.value = "chinese";
  const auto gaps = gaps_after("The shop opens at nine.", std::vector<Belief>{belief});
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].about, "belief:language");
  EXPECT_EQ(gaps[0].choices.size(), 2u);
  EXPECT_TRUE(gaps_after("店九点开门。", std::vector<Belief>{belief}).empty());
}

TEST(Gaps, CU_1_a_model_says_more_and_what_it_says_is_checked) {
  ScriptedChat model;
  model.say(R"({"gaps":[{"what":"the budget","by":"person","kind":"knowledge","question":"How much may it cost?"},
      {"what":"prices","by":"research","kind":"knowledge"},{"what":"","by":"person","kind":"action"},7,
      {"what":"visit the shop","by":"person","kind":"action"}]})");
  const auto found = model_gaps(model, "buy a bicycle", {}, {}, Deadline::after(std::chrono::seconds(5)));
  ASSERT_EQ(found.gaps.size(), 3u);
  EXPECT_EQ(found.prompt, "gaps/en 1");
  EXPECT_EQ(found.gaps[0].text, "How much may it cost?");
  EXPECT_FALSE(found.gaps[1].ask);
  EXPECT_EQ(found.gaps[2].question, QuestionKind::kAction);
  for (const char* bad : {"no JSON", "{}", R"({"gaps":3})"})
    EXPECT_FALSE(
        model_gaps(ScriptedChat().say(bad), "buy", {}, {}, Deadline::after(std::chrono::seconds(5))).failed.empty());
  EXPECT_FALSE(
      model_gaps(ScriptedChat().hang(), "buy", {}, {}, Deadline::after(std::chrono::milliseconds(20))).failed.empty());
}

TEST(Gaps, CU_2_questions_say_what_for_and_what_is_done_without_an_answer) {
  Gap gap;
  gap.question = QuestionKind::kDecision;
  gap.what = "the way";
  gap.choices = {"by train", "by bus"};
  const Question english = question_of(gap, "plan the trip", "the train");
  EXPECT_EQ(
      english.text,
      "About the way: \nA. by train\nB. by bus\nWhich do you prefer? If it does not suit you now, I go on with: the "
      "train");
  gap.question = QuestionKind::kAction;
  gap.choices.clear();
  gap.what = "去现场拍照";
  const Question chinese = question_of(gap, "写一份现场报告", "用旧照片");
  EXPECT_EQ(chinese.text,
            "“写一份现场报告”中有一步我无法完成：去现场拍照。需要你帮我做这一步，完成后请把结果用消息发给我。如果你现在"
            "不方便，我会先用这个"
            "办法继续：用旧照片。");
  EXPECT_EQ(chinese.kind, QuestionKind::kAction);
}

}  // namespace
}  // namespace weft
