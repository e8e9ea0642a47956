#include "text/says_nothing.h"

#include <gtest/gtest.h>

namespace weft {
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
