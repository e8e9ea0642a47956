#include "text/statement.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace weft {
namespace {

using Pairs = std::vector<std::pair<const char*, const char*>>;

TEST(Statement, PF_15_the_same_in_other_words_of_form) {
  const Pairs pairs = {{"I like tea.", "I like tea!!"},
                       {"I like tea", "I really like tea"},
                       {"Hi Tom! By the way, I don't like tea, thanks!", "I do not like tea"},
                       {"On Monday I go swimming", "I go swimming on Monday."},
                       {"My birthday is March 5th", "my birthday is 5 March"},
                       {"I have twenty-five cats", "I have 25 cats"},
                       {"The meeting is at 3 pm", "The meeting is at 15:00"},
                       {"I like tea and coffee", "I like coffee and tea"},
                       {"It costs $5", "It costs five dollars"},
                       {"My favourite colour is grey", "My favorite color is gray."},
                       {"I like tea. I like tea.", "I like tea"},
                       {"我喜欢喝茶啊", "我很喜歡喝茶！"},
                       {"我昨天去了公园", "昨天我去了公园"},
                       {"记住，我对花生过敏", "我对花生过敏"},
                       {"会议在下午三点半", "会议在15:30"},
                       {"我有两万三千元", "我有23000元"},
                       {"我的妈妈是医生", "我妈妈是医生。"},
                       {"周一我去游泳", "我星期一去游泳"}};
  for (const auto& [left, right] : pairs) {
    EXPECT_TRUE(Statement(left).says_the_same(Statement(right))) << left << " / " << right;
    EXPECT_TRUE(Statement(right).says_the_same(Statement(left))) << left << " / " << right;
  }
}

TEST(Statement, PF_15_one_difference_that_matters_makes_another) {
  const Pairs pairs = {{"Ann moved to Berlin", "Ann moved to Bern"},
                       {"Ann beats Bob", "Bob beats Ann"},
                       {"the train from Berlin to Paris", "the train from Paris to Berlin"},
                       {"I like tea", "I do not like tea"},
                       {"I like tea", "Do I like tea?"},
                       {"I lived in Bern", "I live in Bern"},
                       {"It is 5 degrees", "It is -5 degrees"},
                       {"It weighs 5 kg", "It weighs 5 g"},
                       {"at 3 pm", "at 3 am"},
                       {"version 3.1", "version 3.10"},
                       {"before Monday I swim", "after Monday I swim"},
                       {"I like green tea and coffee", "I like green coffee and tea"},
                       {"Ann beats Bob and Carl", "Carl and Ann beats Bob"},
                       {"I like tea", "I like tea with milk"},
                       {"May 5", "May 6"},
                       {"张三喜欢喝茶", "李四喜欢喝茶"},
                       {"我比他高", "他比我高"},
                       {"从北京到上海", "从上海到北京"},
                       {"我去了北京", "我没去北京"},
                       {"我住在北京", "我住在北京吗"},
                       {"晚上12点", "中午12点"},
                       {"来了三四个人", "来了三十四个人"},
                       {"周一开会", "周二开会"},
                       {"他是我的老师", "我是他的老师"}};
  for (const auto& [left, right] : pairs)
    EXPECT_FALSE(Statement(left).says_the_same(Statement(right))) << left << " / " << right;
}

TEST(Statement, PF_15_a_text_says_the_same_as_itself_and_a_number_changes_it) {
  const std::vector<std::string> words = {"Ann", "likes", "not", "the", "on",     "Monday", "和",   "喜欢",
                                          "，",  ". ",    "7",   "and", "thanks", "?",      "from", "在",
                                          "😀",  "记住",  "'s",  "$",   "\n",     "ok",     "三十"};
  std::uint32_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::uint32_t i = 0, count = 1 + round % 12; i < count; ++i) {
      state = state * 1664525U + 1013904223U;
      text += words[(state >> 8U) % words.size()] + " ";
    }
    const Statement statement(text);
    EXPECT_TRUE(statement.says_the_same(Statement(text))) << text;
    EXPECT_FALSE(statement.says_the_same(Statement("It cost 4711 coins, " + text))) << text;
  }
}

TEST(Statement, PF_15_what_counts_from_today_is_marked) {
  EXPECT_TRUE(Statement("I swam yesterday").relative_time());
  EXPECT_TRUE(Statement("下周一开会").relative_time());
  EXPECT_FALSE(Statement("I swim every Monday").relative_time());
  EXPECT_FALSE(Statement("2024年3月5日开会").relative_time());
}

}  // namespace
}  // namespace weft
