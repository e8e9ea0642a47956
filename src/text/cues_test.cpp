#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "text/cues.h"

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

namespace {

constexpr Moods kPolarity{Mood::kForbids, Mood::kNotTo, Mood::kNegates, Mood::kNoNegation, Mood::kNoRule};

Modal first(const char* text, Moods wanted) { return modal_at(plain_words(text), 0, wanted); }

TEST(Modality, CM_4_the_longest_phrase_that_is_wanted_counts) {
  const Modal must_not = first("must not delete", kPolarity | Moods(Mood::kMust));
  EXPECT_EQ(must_not.words, 2u);
  EXPECT_TRUE(must_not.moods.has(Mood::kForbids));
  EXPECT_FALSE(must_not.moods.has(Mood::kMust));
  // Who does not ask for the longer one finds the shorter.
  const Modal must = first("must not delete", Moods(Mood::kMust));
  EXPECT_EQ(must.words, 1u);
  EXPECT_TRUE(must.moods.has(Mood::kMust));
  EXPECT_EQ(first("walk on", kPolarity).words, 0u);
}

TEST(Modality, CM_4_words_that_hold_a_negation_and_mean_none) {
  for (const char* text : {"not only fast", "no matter", "特别好", "别人的", "不仅如此"})
    EXPECT_TRUE(first(text, kPolarity).moods.has(Mood::kNoNegation)) << text;
  for (const char* text : {"do not know", "不必来", "要不要"})
    EXPECT_TRUE(first(text, kPolarity).moods.has(Mood::kNoRule)) << text;
  for (const char* text : {"Don't touch it", "do not touch it", "不要动"})
    EXPECT_TRUE(first(text, kPolarity).moods.has(Mood::kNotTo)) << text;
  for (const char* text : {"never", "严禁吸烟"}) EXPECT_TRUE(first(text, kPolarity).moods.has(Mood::kForbids)) << text;
}

TEST(Question, PF_4_short_questions_of_both_languages_only_ask) {
  EXPECT_TRUE(is_bare_question("Thanks! What was it like?"));
  EXPECT_TRUE(is_bare_question("太好了！你们去了哪里？"));
  EXPECT_TRUE(is_bare_question("What do you think? [image: a photo of a dog]"));
  EXPECT_FALSE(is_bare_question("We went to the lake on Sunday."));
  EXPECT_FALSE(is_bare_question("我们周日去了湖边。"));
  EXPECT_FALSE(is_bare_question(""));
}

TEST(Question, a_long_question_tells_something) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "fact" + std::to_string(i) + " ";
  EXPECT_FALSE(is_bare_question(text + "so what should I do?"));
}

TEST(Question, no_word_gives_the_mark) {
  const auto terms = index_terms("Really? 真的吗？ ? ?");
  EXPECT_EQ(std::count(terms.begin(), terms.end(), question_mark_term()), 0);
}

}  // namespace
}  // namespace weft
