#include "flow/memory/speech.h"

#include <gtest/gtest.h>

#include <string>

#include "flow/memory/said_facts.h"

namespace weft {
namespace {

constexpr std::string_view kSpeech =
    "各位老师，那么我们今天主要就是讲一讲这个养蜂的问题，然后其实大家也知道，这个行业对吧，就是说投入不大，但是它的这个"
    "周期比较长，"
    "所以说我们要有耐心。";

TEST(Speech, CM_17_what_is_said_before_others_is_known_by_its_fillers) {
  EXPECT_GE(likeness_to_speech(kSpeech), 1);
  EXPECT_LE(likeness_to_speech(std::string(kSpeech) + std::string(kSpeech)), 2);
  EXPECT_EQ(likeness_to_speech("各位好，大家好。"), 0) << "short";
  EXPECT_LT(likeness_to_speech(
                "我在一家养蜂场干了十二年，去年因为腰伤改做包装，家里还有一片梨园，每年春天都请两个亲戚来帮忙授粉，"
                "收成好的时候能卖上三四万块钱，除去成本剩不下多少。"),
            1);
}

TEST(Speech, CM_17_before_others_a_speaker_tells_who_they_are) {
  for (const std::string_view who :
       {"我是养蜂协会的秘书长李雷。", "我来自云南。", "因为我本身在一所农学院。", "我一直负责质检。"})
    EXPECT_TRUE(tells_who_speaks(who)) << who;
  for (const std::string_view matter : {"我是觉得不太一样。", "我们是一家公司。", "我在想这个问题。", "我做完了。",
                                        "大家自我介绍是惯例。", "市场很大。"})
    EXPECT_FALSE(tells_who_speaks(matter)) << matter;
  const std::string all = std::string(kSpeech) + "我喜欢吃蜂蜜。我叫李雷。";
  const auto facts = read_said(all, "").facts;
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_NE(facts.front().text.find("李雷"), std::string::npos);
}

TEST(Speech, CM_17_words_of_others_and_stories_tell_nothing_of_the_user) {
  for (const std::string_view others : {"他说：“我在大理开客栈。”", "这句“我爱吹双簧管”怎么写成被动？台词是这样的。",
                                        "小说里的主角住在海边。", "故事讲一个养蜂人。", "在我写的剧本里，她是护士。"})
    EXPECT_TRUE(is_said_by_others(others)) << others;
  for (const std::string_view own : {"我妈说：“我想你了。”", "我喜欢“双簧管”这个词。", "我写过一本小说。",
                                     "我在游戏里认识了我老公。", "我在书店工作。", "他在大理开客栈。"})
    EXPECT_FALSE(is_said_by_others(own)) << own;
  const auto stating = stating_sentences("他写道：“今天很冷。我住在大理。天黑了。”我住在波尔图。");
  for (const std::string_view sentence : stating) EXPECT_EQ(sentence.find("大理"), std::string_view::npos) << sentence;
  EXPECT_FALSE(stating.empty());
}

}  // namespace
}  // namespace weft
