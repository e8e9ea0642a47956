#include "flow/memory/speech.h"

#include <gtest/gtest.h>

#include <string_view>

namespace weft {
namespace {

TEST(Speech, CM_17_words_of_others_and_stories_tell_nothing_of_the_user) {
  for (const std::string_view others : {"他说：“我在大理开客栈。”", "这句“我爱吹双簧管”怎么写成被动？台词是这样的。",
                                        "小说里的主角住在海边。", "故事讲一个养蜂人。", "在我写的剧本里，她是护士。"})
    EXPECT_TRUE(is_said_by_others(others)) << others;
  for (const std::string_view own : {"我妈说：“我想你了。”", "我喜欢“双簧管”这个词。", "我写过一本小说。",
                                     "我在游戏里认识了我老公。", "我在书店工作。", "他在大理开客栈。"})
    EXPECT_FALSE(is_said_by_others(own)) << own;
}

}  // namespace
}  // namespace weft
