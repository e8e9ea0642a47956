#include "text/changes.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

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
