#include "text/changes.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Changes, AC_5_questions_of_what_was_are_told_from_those_of_what_is) {
  for (const char* text : {"Where did I live before?", "What was the original price?", "我以前住在哪里？",
                           "How has the plan changed over time?", "最初的预算是多少？"})
    EXPECT_TRUE(asks_of_the_past(plain_words(text))) << text;
  for (const char* text : {"Where do I live?", "What was the name of my dog?", "我住在哪里？", "预算是多少？",
                           "What do I need before the flight?"})
    EXPECT_FALSE(asks_of_the_past(plain_words(text))) << text;
}

TEST(Changes, AC_5_a_change_is_told_from_an_addition) {
  for (const char* text : {"The desk costs 465 euros now.", "We moved to Lyon.", "Correction: it is gate 12.",
                           "会议改到周四了。", "我不再喝咖啡。"})
    EXPECT_TRUE(tells_of_change(text)) << text;
  for (const char* text :
       {"The desk costs 420 euros.", "I now have another dog, Bella.", "会议在周三。", "现在我还有一只猫。"})
    EXPECT_FALSE(tells_of_change(text)) << text;
}

}  // namespace
}  // namespace weft
