#include "text/chat_codes.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(ChatCodes, PF_25_codes_of_chat_programs_are_no_text) {
  for (const auto& [with, without] : {std::pair{"[CQ:at,qq=10001] 我住在苏州", "我住在苏州"},
                                      {"[CQ:reply,id=-12][CQ:at,qq=all] 我住在苏州[CQ:face,id=14]", "我住在苏州"},
                                      {"[mirai:at:123] hello", "hello"},
                                      {"<at id=\"1\"/> 我住在苏州", "我住在苏州"},
                                      {"<at user_id=\"ou_1\">Bot</at> 我住在苏州", "我住在苏州"},
                                      {"<quote id=\"7\">I live in Rome</quote>I live in Oslo", "I live in Oslo"},
                                      {"<@123456789> I live in Oslo", "I live in Oslo"},
                                      {"<@!5> <@&6> <#7> <:smile:8> ok", "ok"},
                                      {"<@U02|ann> ok", "ok"},
                                      {"[图片] 我住在苏州[捂脸]", "我住在苏州"},
                                      {"【图片】我住在苏州", "我住在苏州"},
                                      {"[回复 小王：我住在上海] 我住在苏州", "我住在苏州"},
                                      {"[Sticker] I live in Oslo", "I live in Oslo"},
                                      {"Look at this [image: a red car] now", "Look at this [image: a red car] now"},
                                      {"see [1] and a[0] < b > c", "see [1] and a[0] < b > c"},
                                      {"std::vector<int> x", "std::vector<int> x"},
                                      {"[重要] 明天开会", "[重要] 明天开会"}})
    EXPECT_EQ(without_chat_codes(with), without) << with;
}

TEST(ChatCodes, PF_25_codes_in_entities_are_codes) {
  for (const auto& [with, without] : {std::pair{"&#91;图片&#93; 我住在苏州", "我住在苏州"},
                                      {"我住在苏州&#91;捂脸&#93;", "我住在苏州"},
                                      {"&#91;CQ:at&#44;qq=10001&#93; 我住在苏州", "我住在苏州"},
                                      {"&#91;CQ:at,qq=10001&#93; I like Tom &amp; Jerry", "I like Tom & Jerry"},
                                      {"[CQ:at,qq=1] I like a&#91;0&#93;", "I like a[0]"},
                                      {"&lt;@123456789&gt; I live in Oslo", "I live in Oslo"},
                                      {"&lt;at id=\"1\"/&gt; 我住在苏州", "我住在苏州"},
                                      {"Tom &amp; Jerry &lt;b&gt;", "Tom &amp; Jerry &lt;b&gt;"},
                                      {"[图片] write &lt;b&gt;", "write &lt;b&gt;"},
                                      {"a&#91;0&#93;", "a&#91;0&#93;"}})
    EXPECT_EQ(without_chat_codes(with), without) << with;
  EXPECT_TRUE(chat_code_at("&#91;CQ:at,qq=1&#93; hi", 0).person);
  EXPECT_EQ(without_address("&#91;图片&#93; I live in Oslo &#91;CQ:face,id=1&#93;"), "I live in Oslo");
}

TEST(ChatCodes, PF_25_what_stands_before_and_behind_a_sentence_is_no_part_of_it) {
  for (const auto& [with, without] : {std::pair{"@小助手 我对花生过敏", "我对花生过敏"},
                                      {"@小助手我对花生过敏", "我对花生过敏"},
                                      {"　@小助手　我对花生过敏　", "我对花生过敏"},
                                      {"我对花生过敏　@小助手", "我对花生过敏"},
                                      {"@bot\u00A0I live in Oslo", "I live in Oslo"},
                                      {"我住在。　", "我住在。"},
                                      {"@bot: I live in Oslo", "I live in Oslo"},
                                      {"I live in Oslo @bot", "I live in Oslo"},
                                      {"😂我对花生过敏😂", "我对花生过敏"},
                                      {"❤️‍🔥 I live in Oslo :smile:", "I live in Oslo :smile:"},
                                      {"Hey bot, I live in Oslo", "I live in Oslo"},
                                      {"Hi Ann! I live in Oslo", "I live in Oslo"},
                                      {"Tom: I live in Oslo", "Tom: I live in Oslo"},
                                      {"Hi, I live in Oslo", "Hi, I live in Oslo"},
                                      {"Well, I live in Oslo", "Well, I live in Oslo"},
                                      {"ann@post.example is mine", "ann@post.example is mine"}})
    EXPECT_EQ(without_address(with), without) << with;
}

}  // namespace
}  // namespace weft
