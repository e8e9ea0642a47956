#include "flow/memory/chinese_requests.h"

#include <gtest/gtest.h>

#include "flow/memory/fact_meaning.h"

namespace weft {
namespace {

TEST(ChineseRequests, CM_17_what_is_asked_of_who_answers_is_a_request) {
  for (const std::string_view request :
       {"帮我写一个年度总结。", "那就请你把行程改到周五吧。", "好的，教我做红烧茄子。", "你好，我需要一个新的二维码。",
        "我想知道从这里到机场有多远。", "我想让它再短一点。", "我正在找一本讲航海的书，最好是插图版。",
        "我还想订一张靠窗的票，价格不要太高，谢谢。", "麻烦查一下，哪家还开着？", "您能帮我看看这个公式吗？"})
    EXPECT_TRUE(is_request(request)) << request;
}

TEST(ChineseRequests, CM_17_what_is_told_beside_it_or_looked_for_in_a_life_is_none) {
  for (const std::string_view told :
       {"帮我妈带孩子，每周三天。", "我妈对花生过敏，帮我找一家餐馆。", "我想给我女儿找一家钢琴班。",
        "我在找一份会计的工作。", "我想学木工。", "我需要每天吃药。", "请了长假在家养伤。", "我在一家医院上班。",
        "帮我爸修好了收音机。", "附近有药店吗？", "谢谢，辛苦了。"})
    EXPECT_FALSE(is_request(told)) << told;
}

TEST(ChineseRequests, CM_17_nothing_of_a_request_is_judged) {
  EXPECT_TRUE(judged_parts({"我想订一间安静的房间。"}).empty());
  EXPECT_EQ(judged_parts({"我在学双簧管。"}).size(), 1u);
  EXPECT_EQ(judged_parts({"我在学双簧管，帮我找一位老师好吗？"}).size(), 2u);
}

TEST(ChineseRequests, CM_17_sentences_are_cut_into_clauses) {
  EXPECT_EQ(chinese_clauses(" 你好，我叫李雷；住在大理。"),
            (std::vector<std::string_view>{"你好", "我叫李雷", "住在大理"}));
  EXPECT_TRUE(chinese_clauses("，，。").empty());
  EXPECT_TRUE(chinese_clauses("").empty());
}

}  // namespace
}  // namespace weft
