#include "flow/memory/fact_meaning.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft {
namespace {

/// Weights for vectors of one number: the higher, the likelier; from 1 on a sentence is kept.
FactWeights by_first_number() {
  FactWeights weights;
  weights.embedder = "fake";
  weights.languages[0].limit = weights.languages[1].limit = 1;
  weights.vector = {1};
  return weights;
}

/// An embedder to which sentences with one of the words mean that something lasting is told.
SentenceVector likes_words(std::vector<std::string> words) {
  return [words = std::move(words)](std::string_view sentence) {
    const bool told = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return sentence.find(word) != std::string_view::npos;
    });
    return std::vector<float>{told ? 2.0F : -2.0F};
  };
}

struct Judged {
  std::string kept, meant;
};

Judged judge(std::string_view message, const SentenceVector& vector_of, const std::string& subject = "") {
  Judged out;
  auto found = read_said(message, subject).facts;
  for (const SaidFact& fact : judge_facts(message, subject, by_first_number(), vector_of, found))
    out.meant += (out.meant.empty() ? "" : " / ") + fact.attribute + "=" + fact.text;
  for (const SaidFact& fact : found)
    if (!fact.text.empty()) out.kept += (out.kept.empty() ? "" : " / ") + fact.attribute + "=" + fact.text;
  return out;
}

TEST(FactMeaning, CM_17_a_sentence_in_any_words_is_kept_where_its_meaning_tells_something_lasting) {
  const auto judged =
      judge("Nice. The cello has been with me for thirty years. What time is it?", likes_words({"cello"}));
  EXPECT_EQ(judged.meant, "said=The cello has been with the user for thirty years.");
  EXPECT_EQ(judge("大提琴陪了我三十年。现在几点？", likes_words({"大提琴"})).meant, "said=大提琴陪了用户三十年。");
  EXPECT_EQ(judge("The cello has been with me for thirty years.", likes_words({"cello"}), "Ann").meant,
            "said=The cello has been with Ann for thirty years.");
}

TEST(FactMeaning, CM_17_several_sentences_of_a_message_are_judged_each_for_itself) {
  const auto judged = judge("The cello is with me since school. It rains. My knees are made of glass.",
                            likes_words({"cello", "knees"}));
  EXPECT_EQ(judged.meant, "said=The cello is with the user since school. / said=The user's knees are made of glass.");
}

TEST(FactMeaning, CM_17_what_the_grammar_has_read_in_other_words_is_not_kept_again) {
  for (const char* message : {"我现在爱跑步了", "我又不爱跑步了", "我现在喜欢跑步了", "我没有猫"}) {
    const auto judged = judge(message, likes_words({"跑步", "猫"}));
    EXPECT_EQ(judged.meant, "") << message;
    EXPECT_FALSE(judged.kept.empty()) << message;
  }
  EXPECT_FALSE(judge("我爱跑步，可是膝盖十年前就摔坏了", likes_words({"跑步"})).meant.empty());
}

TEST(FactMeaning, CM_17_what_names_nobody_says_who_said_it) {
  EXPECT_EQ(told_sentence({"Two cats and no garden"}, ""), "The user said: Two cats and no garden.");
  EXPECT_EQ(told_sentence({"最近膝盖疼"}, ""), "用户说：最近膝盖疼。");
  EXPECT_EQ(told_sentence({"最近膝盖疼"}, "小王"), "小王说：最近膝盖疼。");
  EXPECT_EQ(told_sentence({"I'll be a father in May"}, ""), "The user will be a father in May.");
}

TEST(FactMeaning, CM_17_of_a_question_what_is_told_before_it_is_kept) {
  EXPECT_EQ(told_sentence({"I play the oboe at weddings, can you name a piece?"}, ""),
            "The user plays the oboe at weddings.");
  EXPECT_EQ(told_sentence({"Can you name a shampoo for my curly hair?"}, "").substr(0, 15), "The user asked:");
}

TEST(FactMeaning, CM_17_of_a_question_the_part_that_tells_is_judged_for_itself) {
  const SentenceVector whole_is_none = [](std::string_view sentence) {
    return std::vector<float>{sentence == "我爱吹双簧管" ? 2.0F : -2.0F};
  };
  EXPECT_EQ(judge("我爱吹双簧管，有什么适合婚礼的曲子？", whole_is_none).meant, "said=用户爱吹双簧管。");
  EXPECT_TRUE(judge("有什么适合婚礼的曲子，你知道吗？", whole_is_none).meant.empty());
  EXPECT_EQ(judged_parts("我爱吹双簧管，有什么曲子？").size(), 2u);
  EXPECT_EQ(judged_parts("我想找一支双簧管，有什么推荐？").size(), 1u) << "what is needed is part of the question";
}

TEST(FactMeaning, CM_17_what_stands_in_a_note_is_kept_under_its_heading) {
  const auto all = [](std::string_view) { return std::vector<float>{2.0F}; };
  EXPECT_EQ(judge("外婆出院医嘱\n每天服用两次降压药。\n三个月内不做重活。", all).meant,
            "said=用户记下：外婆出院医嘱：每天服用两次降压药。 / said=用户记下：外婆出院医嘱：三个月内不做重活。");
  const auto sentences = fact_sentences("外婆出院医嘱\n每天服用两次降压药。");
  ASSERT_EQ(sentences.size(), 1u) << "the heading is none";
  EXPECT_EQ(fact_signs(sentences[0], "")[static_cast<std::size_t>(FactSign::kNoted)], 1);
  EXPECT_TRUE(may_tell_of_people("外婆出院医嘱\n每天服用两次降压药。"));
}

TEST(FactMeaning, CM_17_a_first_line_that_tells_something_itself_is_no_heading) {
  EXPECT_EQ(note_heading("外婆出院医嘱\n每天服用两次降压药。"), "外婆出院医嘱");
  for (const std::string_view message :
       {"外婆出院医嘱", "外婆今天出院。\n要吃药。", "我最近在学木工\n很有意思。", "外婆对花生过敏\n能做什么点心？",
        "姓名：王伟\n电话：13800001111", "Discharge notes\nTwo pills a day."})
    EXPECT_TRUE(note_heading(message).empty()) << message;
}

TEST(FactMeaning, CM_17_what_only_a_verb_spoke_for_goes_where_its_sentence_means_no_such_thing) {
  constexpr std::string_view kMessage = "I bought a red tent last week.";
  ASSERT_FALSE(read_said(kMessage, "").facts.empty());
  ASSERT_EQ(read_said(kMessage, "").facts.front().attribute, kSaidAttribute);
  const auto gone = judge(kMessage, likes_words({"nothing"}));
  EXPECT_TRUE(gone.kept.empty()) << gone.kept;
  EXPECT_TRUE(gone.meant.empty()) << gone.meant;
  const auto stays = judge(kMessage, likes_words({"tent"}));
  EXPECT_EQ(stays.kept + stays.meant, "said=The user bought a red tent last week.") << "once";
}

TEST(FactMeaning, CM_17_what_has_an_attribute_and_wishes_stay_whatever_is_meant) {
  const auto judged = judge("I live in Porto. Always answer in French from now on.", likes_words({"nothing"}));
  EXPECT_NE(judged.kept.find("residence=The user lives in Porto."), std::string::npos) << judged.kept;
  EXPECT_NE(judged.kept.find("wish:language"), std::string::npos) << judged.kept;
  EXPECT_TRUE(judged.meant.empty()) << judged.meant;
}

TEST(FactMeaning, CM_17_a_sentence_that_the_grammar_has_read_in_part_is_kept_whole_and_its_pieces_are_not) {
  const auto judged =
      judge("After the long flood of ninety-seven took the mill and most of the valley, I bought a tent.",
            likes_words({"flood"}));
  EXPECT_EQ(judged.meant.find("said="), 0u) << judged.meant;
  EXPECT_NE(judged.meant.find("mill"), std::string::npos) << judged.meant;
  EXPECT_EQ(judged.kept.find("said="), std::string::npos) << judged.kept;
}

TEST(FactMeaning, CM_17_without_a_vector_the_grammar_has_the_last_word) {
  const SentenceVector none = [](std::string_view) { return std::vector<float>(); };
  const auto judged = judge("I bought a red tent last week. The cello is with me since school.", none);
  EXPECT_EQ(judged.kept, "said=The user bought a red tent last week.");
  EXPECT_TRUE(judged.meant.empty());
}

TEST(FactMeaning, CM_17_code_quotations_and_what_is_handed_over_tell_nothing_of_their_speaker) {
  const auto all = [](std::string_view) { return std::vector<float>{2.0F}; };
  EXPECT_TRUE(fact_sentences("```\nmy cello\n```").empty());
  EXPECT_TRUE(judge("Translate this:\nThe cello has been with me for years.", all).meant.empty());
  EXPECT_TRUE(judge("\"The cello has been with me for years.\"", all).meant.empty());
  EXPECT_TRUE(judge("Thanks!", all).meant.empty());
  EXPECT_TRUE(fact_sentences("\xff\xfe").empty());
  std::string many;
  for (int i = 0; i < 200; ++i) many += "My shelf " + std::to_string(i) + " holds jars. ";
  auto found = std::vector<SaidFact>();
  EXPECT_LE(judge_facts(many, "", by_first_number(), all, found).size(), 12u);
}

TEST(FactMeaning, CM_17_only_messages_that_speak_of_somebody_are_read_at_once) {
  EXPECT_TRUE(may_tell_of_people("My tent is red."));
  EXPECT_TRUE(may_tell_of_people("妈妈膝盖疼，天冷更明显。"));
  EXPECT_FALSE(may_tell_of_people("What is the height of the tower?"));
  EXPECT_FALSE(may_tell_of_people("请问故宫几点关门？"));
}

TEST(FactMeaning, PF_19_signs_and_limits_are_of_each_language) {
  FactWeights weights = by_first_number();
  FactSigns signs{};
  signs[static_cast<std::size_t>(FactSign::kOwn)] = 1;
  weights.languages[0].signs[static_cast<std::size_t>(FactSign::kOwn)] = 3;
  weights.languages[1].bias = -1;
  const std::vector<float> vector{0.5F};
  EXPECT_DOUBLE_EQ(fact_logit(weights, Language::kEnglish, signs, vector), 3.5);
  EXPECT_DOUBLE_EQ(fact_logit(weights, Language::kChinese, signs, vector), -0.5);
}

TEST(FactMeaning, PF_19_signs_are_those_of_the_sentence) {
  const auto of = [](std::string_view sentence, FactSign sign) {
    return fact_signs({sentence}, "")[static_cast<std::size_t>(sign)];
  };
  EXPECT_EQ(of("By the way, my aunt lives in Rome.", FactSign::kAside), 1);
  EXPECT_EQ(of("By the way, my aunt lives in Rome.", FactSign::kPeople), 1);
  EXPECT_EQ(of("By the way, my aunt lives in Rome.", FactSign::kNames), 1);
  EXPECT_EQ(of("By the way, my aunt lives in Rome.", FactSign::kProfile), 1);
  EXPECT_EQ(of("I bought a red tent last week.", FactSign::kLasts), 1);
  EXPECT_EQ(of("我平时用Notion做笔记。", FactSign::kHabits), 1);
  EXPECT_EQ(of("我平时用Notion做笔记。", FactSign::kNames), 1);
  EXPECT_EQ(of("Where is the station?", FactSign::kAsks), 1);
  EXPECT_EQ(of("Where is the station?", FactSign::kSpeaker), 0);
  EXPECT_LE(of(std::string(5000, 'a') + " b", FactSign::kLength), 2);
  EXPECT_EQ(of("We sell tents.", FactSign::kSeveral), 1);
  EXPECT_EQ(of("We sell my tents.", FactSign::kSeveral), 0);
  EXPECT_EQ(of("我们卖帐篷。", FactSign::kSeveral), 1);
  EXPECT_EQ(of("我们卖我做的帐篷。", FactSign::kSeveral), 0);
  EXPECT_EQ(of("As a roofer I am up early.", FactSign::kPresents), 1);
  EXPECT_EQ(of("像我这样的瓦匠起得早。", FactSign::kPresents), 1);
  EXPECT_EQ(of("My knee is acting up.", FactSign::kHealth), 1);
  EXPECT_EQ(of("我的膝盖不行了。", FactSign::kHealth), 1);
  EXPECT_EQ(of("I guess so.", FactSign::kThinks), 1);
  EXPECT_EQ(of("我有点担心。", FactSign::kThinks), 1);
  EXPECT_EQ(of("Please name a café.", FactSign::kNeeds), 1);
  EXPECT_EQ(of("帮我找一家咖啡馆。", FactSign::kNeeds), 1);
  EXPECT_EQ(of("我们卖帐篷。", FactSign::kNoted), 0);
  const auto speech = [](std::size_t bytes) {
    return fact_signs({.text = "我们卖帐篷。", .said_at_once = bytes}, "")[static_cast<std::size_t>(FactSign::kSpeech)];
  };
  EXPECT_EQ(speech(100), 0);
  EXPECT_GT(speech(1200), speech(600));
  EXPECT_EQ(speech(100000), 2);
}

TEST(FactMeaning, PF_19_weights_that_ship_are_for_their_embedder_alone) {
  ASSERT_NE(fact_weights("multilingual-e5-small-q4"), nullptr);
  EXPECT_EQ(fact_weights("multilingual-e5-small-q4")->vector.size(), 384u);
  EXPECT_EQ(fact_weights("all-minilm-l6-v2-q8"), nullptr);
}

TEST(FactMeaning, CM_17_what_somebody_is_told_to_do_is_no_fact) {
  for (const char* order : {"帮我写一个年度总结。", "那就请你把行程改到周五吧。", "好的，教我做红烧茄子。"})
    EXPECT_EQ(judge(order, likes_words({"写", "改", "做"})).meant, "") << order;
  for (const char* told : {"帮我妈带孩子，每周三天。", "请了长假在家养伤。", "在学做红烧茄子。"})
    EXPECT_NE(judge(told, likes_words({"带", "养", "做"})).meant, "") << told;
}

TEST(FactMeaning, CM_17_requests_and_words_of_others_are_no_facts_whatever_they_mean) {
  const auto all = [](std::string_view) { return std::vector<float>{2.0F}; };
  EXPECT_EQ(judge("我想订一间能看到海的房间。", all).meant, "");
  EXPECT_EQ(judge("他说：“我在大理开客栈。”", all).meant, "");
  EXPECT_EQ(judge("小说里的主角住在海边。", all).meant, "");
  EXPECT_NE(judge("我妈对花生过敏，帮我找一家餐馆。", all).meant, "");
}

}  // namespace
}  // namespace weft
