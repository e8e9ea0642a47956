#include "text/small_talk.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(SmallTalk, PF_15_formulas_alone_say_nothing) {
  for (const char* text : {"ok",
                           "OK!!!",
                           "thanks a lot :)",
                           "Thanks, Mary Ann!",
                           "Hello there. How are you today?",
                           "sooo cool 😂😂",
                           "Great idea! That sounds wonderful.",
                           "Yes, of course. No problem at all!",
                           "hahahaha lol",
                           "Ann, hello!",
                           "Okay... well, see you later, guys",
                           "好的好的",
                           "嗯嗯，知道了",
                           "谢谢！太好了",
                           "您好，请问有什么可以帮您的吗？",
                           "哈哈哈，真不错",
                           "早上好！最近怎么样？",
                           "ok收到",
                           "謝謝，再見",
                           "",
                           "!!!",
                           "🎉"})
    EXPECT_TRUE(is_empty_talk(text)) << text;
}

TEST(SmallTalk, PF_15_one_word_of_content_is_enough) {
  for (const char* text : {"ok, at 5",
                           "thanks, Tuesday",
                           "tea please",
                           "Hi, I am Ann",
                           "yes, the red one",
                           "See you on Monday",
                           "no milk",
                           "thanks for the tea",
                           "great hotel",
                           "好的，五点见",
                           "红茶，谢谢",
                           "你好，退货",
                           "我喜欢",
                           "成都",
                           "后天",
                           "你是谁",
                           "谢谢，我住在北京",
                           "88",
                           "Berlin",
                           "I love it",
                           "that is cold",
                           "不吃辣",
                           "好吃",
                           "I am Great Dane owner"})
    EXPECT_FALSE(is_empty_talk(text)) << text;
}

}  // namespace
}  // namespace weft
