#include "weft/plan.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Plan, HC_2_json_has_exactly_the_fields_of_the_interface) {
  EXPECT_EQ(
      to_json(PlanContext{}),
      R"({"activeQuestId":null,"current_goal":"","templateId":"chat","search_intent":{"enabled":true,)"
      R"("focus_keywords":[],"temporal_context":"now","domain_weight":{"narrative":0.5,"lore":0.5,"event":0.5}}})");
}

TEST(Plan, HC_2_what_is_written_is_read_back) {
  PlanContext plan;
  plan.active_quest_id = "q_001";
  plan.current_goal = "找到森林神庙的入口 \"now\"";
  plan.template_id = "narrative";
  plan.search_intent = {false, {"铁剑", "Blacksmith"}, "past", {0.8, 0.2, 0}};
  const auto read = parse_plan(to_json(plan));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(plan));
}

TEST(Plan, HC_2_missing_fields_take_their_defaults) {
  const auto plan = parse_plan(" {\"search_intent\": {\"focus_keywords\": [\"Iron Sword\"]}} ");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_FALSE(plan->active_quest_id);
  EXPECT_TRUE(plan->search_intent.enabled);
  EXPECT_EQ(plan->search_intent.focus_keywords, std::vector<std::string>{"Iron Sword"});
}

TEST(Plan, HC_2_errors_name_the_field) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"activeQuest":"q"})", "activeQuest"},
      {R"({"activeQuestId":7})", "activeQuestId"},
      {R"({"activeQuestId":""})", "activeQuestId"},
      {R"({"current_goal":null})", "current_goal"},
      {R"({"templateId":""})", "templateId"},
      {R"({"templateId":"a","templateId":"b"})", "templateId"},
      {R"({"search_intent":[]})", "search_intent"},
      {R"({"search_intent":{"enabled":"yes"}})", "search_intent.enabled"},
      {R"({"search_intent":{"enabled":true,"enabled":false}})", "search_intent.enabled"},
      {R"({"search_intent":{"focus":[]}})", "search_intent.focus"},
      {R"({"search_intent":{"focus_keywords":"a"}})", "search_intent.focus_keywords"},
      {R"({"search_intent":{"focus_keywords":["a",2]}})", "search_intent.focus_keywords[1]"},
      {R"({"search_intent":{"focus_keywords":[" "]}})", "search_intent.focus_keywords[0]"},
      {R"({"search_intent":{"temporal_context":"soon"}})", "search_intent.temporal_context"},
      {R"({"search_intent":{"domain_weight":{"lore":1.01}}})", "search_intent.domain_weight.lore"},
      {R"({"search_intent":{"domain_weight":{"event":-0.1}}})", "search_intent.domain_weight.event"},
      {R"({"search_intent":{"domain_weight":{"event":"1"}}})", "search_intent.domain_weight.event"},
      {R"({"search_intent":{"domain_weight":{"rag":1}}})", "search_intent.domain_weight.rag"},
      {R"({"search_intent":{"domain_weight":{"narrative":0,"lore":0,"event":0}}})", "search_intent.domain_weight"},
  };
  for (const auto& [json, field] : cases) {
    const auto plan = parse_plan(json);
    ASSERT_FALSE(plan.ok()) << json;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(plan.error().message.starts_with("plan: " + std::string(field) + ":")) << plan.error().message;
  }
}

TEST(Plan, HC_2_a_stream_that_is_off_may_keep_its_keywords_and_weights) {
  EXPECT_TRUE(parse_plan(R"({"search_intent":{"enabled":false,"focus_keywords":["药水"]}})").ok());
  EXPECT_TRUE(
      parse_plan(R"({"search_intent":{"enabled":false,"domain_weight":{"narrative":0,"lore":0,"event":0}}})").ok());
}

TEST(Plan, HC_2_broken_and_huge_plans_are_refused) {
  for (const std::string& text : {std::string(), std::string("null"), std::string("[]"), std::string("{\"a\""),
                                  std::string("{\"current_goal\":\"\xff\"}"), std::string(100'000, '['),
                                  "{\"current_goal\":\"" + std::string(5000, 'x') + "\"}",
                                  "{\"current_goal\":\"" + std::string(1'000'000, 'x') + "\"}"})
    EXPECT_FALSE(parse_plan(text).ok());
}

TEST(Plan, HC_10_places_of_blocks_are_read_by_their_names_and_aliases) {
  for (const BlockPlace place :
       {BlockPlace::kSystemEnd, BlockPlace::kHistoryTop, BlockPlace::kHistoryBottom, BlockPlace::kBeforeInput})
    EXPECT_EQ(parse_block_place(to_string(place)), place);
  EXPECT_EQ(parse_block_place("relative_to_history"), BlockPlace::kHistoryTop);
  EXPECT_EQ(parse_block_place("in_chat"), BlockPlace::kHistoryBottom);
  EXPECT_EQ(parse_block_place("at_depth"), BlockPlace::kHistoryBottom);
  EXPECT_FALSE(parse_block_place("History_Top"));
  EXPECT_FALSE(parse_block_place(""));
}

}  // namespace
}  // namespace weft
