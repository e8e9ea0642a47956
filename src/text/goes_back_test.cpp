#include "text/goes_back.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(GoesBack, ST_7_what_is_taken_up_again_is_named) {
  for (const auto& [text, name] : {std::pair{"Back to the trip: is the hotel booked?", "trip"},
                                   {"OK, thanks! Let's get back to our kitchen plans.", "kitchen plans"},
                                   {"Anyway, returning to that contract, who signs it?", "contract"},
                                   {"So where were we with the garden?", "garden"},
                                   {"About the ferry we talked about, when does it leave?", "ferry"},
                                   {"As for the budget again, can we cut it?", "budget"},
                                   {"说回旅行，酒店订了吗？", "旅行"},
                                   {"好的，我们继续聊装修。", "装修"},
                                   {"那之前提到的合同，谁来签？", "合同"}})
    EXPECT_EQ(goes_back_to(text).value_or("(nothing)"), name) << text;
}

TEST(GoesBack, ST_7_it_may_name_nothing) {
  for (const char* text : {"Where were we?", "Now, where did we leave off?", "话说回来，你觉得呢？", "言归正传。"})
    EXPECT_EQ(goes_back_to(text).value_or("(nothing)"), "") << text;
}

TEST(GoesBack, ST_7_most_sentences_go_nowhere_back) {
  for (const char* text :
       {"I went back to Berlin last year.", "The ferry goes back to the island at noon.", "What about lunch?",
        "I want to talk about music.", "我回到家已经十点了。", "他说回家吃饭。", "你好", ""})
    EXPECT_FALSE(goes_back_to(text).has_value()) << text;
}

TEST(GoesBack, ST_7_who_changes_the_subject_says_so) {
  for (const char* text : {"On a different note, how is your sister?", "By the way, something else: the machine leaks.",
                           "Ok, thanks! Let's switch topics. I need a cake.", "Can I ask you something else?",
                           "对了，换个话题：洗衣机漏水了。", "我们聊点别的吧。", "好的，另一件事，护照快到期了。"})
    EXPECT_TRUE(changes_subject(text)) << text;
  for (const char* text :
       {"By the way, does it rain there?", "Is there something else to see?", "Something else that matters is rain.",
        "I have a different topic in mind for my thesis.", "对了，住几天合适？", "他换工作了。", ""})
    EXPECT_FALSE(changes_subject(text)) << text;
}

}  // namespace
}  // namespace weft
