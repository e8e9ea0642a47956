#include "text/cues.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Cues, PF_4_phrases_of_change_are_found_in_both_languages) {
  for (const auto* text :
       {"By the way, where is the station?", "Okay, let's talk about dinner.", "One more thing: the invoice",
        "顺便问一下，明天有雨吗？", "换个话题，你看过那部电影吗", "对了，我的快递到哪了"}) {
    EXPECT_TRUE(find_cues(text).has(Cue::kChange)) << text;
    EXPECT_TRUE(opens_topic(find_cues(text))) << text;
  }
  for (const auto* text : {"The bridge was rebuilt in 1950.", "我在图书馆看书"})
    EXPECT_FALSE(find_cues(text).has(Cue::kChange)) << text;
}

TEST(Cues, PF_4_continuations_are_found_in_both_languages) {
  for (const auto* text :
       {"It fails again", "why?", "yes, do that", "Keep going", "继续", "报错了", "那它多少钱", "为什么"}) {
    EXPECT_TRUE(continues_topic(find_cues(text))) << text;
  }
  for (const auto* text : {"Recommend a hotel in Vienna", "推荐一家杭州的酒店"})
    EXPECT_FALSE(continues_topic(find_cues(text))) << text;
}

TEST(Cues, PF_4_english_matches_whole_words_only) {
  EXPECT_FALSE(find_cues("Yesterday was warm").has(Cue::kAnswers));
  EXPECT_FALSE(find_cues("Nextcloud stores files").has(Cue::kNamesTopic));
  EXPECT_TRUE(find_cues("YES.").has(Cue::kAnswers));
  EXPECT_TRUE(find_cues("I\u2019d like a table").has(Cue::kRequest));
}

TEST(Cues, PF_4_words_before_the_cue_are_passed_over) {
  EXPECT_TRUE(find_cues("Okay, thanks! Also, can I pay by card?").has(Cue::kAdds));
  EXPECT_TRUE(find_cues("好的，谢谢，另外帮我看看天气").has(Cue::kAdds));
  EXPECT_FALSE(find_cues("I can also swim").has(Cue::kAdds));
}

TEST(Cues, PF_4_questions_by_either_mark) {
  EXPECT_TRUE(find_cues("How long is it?").has(Cue::kQuestionEnd));
  EXPECT_TRUE(find_cues("有多长？").has(Cue::kQuestionEnd));
  const auto middle = find_cues("How long is it? I need to plan.");
  EXPECT_TRUE(middle.has(Cue::kQuestion));
  EXPECT_FALSE(middle.has(Cue::kQuestionEnd));
}

TEST(Cues, PF_4_length_counts_words_and_characters) {
  EXPECT_DOUBLE_EQ(find_cues("one two, three!").words, 3);
  EXPECT_NEAR(find_cues("今天天气").words, 2.4, 1e-9);
  EXPECT_EQ(find_cues("").words, 0);
}

TEST(Cues, PF_4_broken_and_empty_text_is_no_trouble) {
  EXPECT_TRUE(find_cues("").found.none());
  EXPECT_NO_THROW(find_cues("\xff\xfe\x80 by the way"));
  EXPECT_TRUE(find_cues("\xff by the way").has(Cue::kChange));
}

}  // namespace
}  // namespace weft
