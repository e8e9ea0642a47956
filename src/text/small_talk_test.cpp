#include <gtest/gtest.h>

#include "text/small_talk.h"

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

namespace {

TEST(SaysNothing, PF_14_a_confirmation_says_nothing_beyond_its_act) {
  for (const char* text :
       {"Noted.", "I will.", "ok", "Thanks!", "Got it, I'll remember that.", "Sure! I have made a note of it.",
        "Understood. I'll keep that in mind.", "Okay, I've saved this for later.", "Consider it done!", "Done.", "好的",
        "收到", "好的，我记住了。", "明白，已经记下来了！", "我会记住的", "没问题，这一点我记住了。"})
    EXPECT_TRUE(says_nothing(text)) << text;
}

TEST(SaysNothing, PF_14_what_names_its_object_says_something) {
  for (const char* text :
       {"Noted: the dentist is on Tuesday.", "I will call Ann.", "I'll remember that Rex is allergic to fish.",
        "I saved it under report.pdf.", "I have noted the new price, 45 euros.", "Got it, Thursday then.",
        "Not on Monday.", "我记住了，周二看牙医。", "我会记得带护照。", "已更新为 45 元。", "7",
        "I keep it in the garage."})
    EXPECT_FALSE(says_nothing(text)) << text;
}

}  // namespace

}  // namespace weft
