#include "flow/historian/absolutise.h"

#include <gtest/gtest.h>

#include <random>

#include "flow/historian/gate.h"

#include "tests/support/large_text.h"

namespace weft {
namespace {

Speech between(const std::string& sender, const std::string& addressee) {
  Speech speech;
  speech.sender = {"1", sender};
  speech.addressee = Person{"2", addressee};
  return speech;
}

std::string english(std::string_view text) { return absolutise(text, between("Ann", "Bob")).text; }
std::string chinese(std::string_view text) { return absolutise(text, between("张三", "李四")).text; }

TEST(Absolutise, CM_4_english_verbs_follow_the_name) {
  EXPECT_EQ(english("I am tired."), "Ann is tired.");
  EXPECT_EQ(english("I've seen your cat."), "Ann has seen Bob's cat.");
  EXPECT_EQ(english("I'd better go, I'd love to stay."), "Ann had better go, Ann would love to stay.");
  EXPECT_EQ(english("I go to work by train and I don't mind."), "Ann goes to work by train and Ann doesn't mind.");
  EXPECT_EQ(english("I always try to help."), "Ann always tries to help.");
  EXPECT_EQ(english("I get up early and make some tea."), "Ann gets up early and makes some tea.");
  EXPECT_EQ(english("I went home and I can wait."), "Ann went home and Ann can wait.");
}

TEST(Absolutise, CM_4_english_questions) {
  EXPECT_EQ(english("Do you like tea?"), "Does Bob like tea?");
  EXPECT_EQ(english("How are you?"), "How is Bob?");
  EXPECT_EQ(english("Have you been to Rome?"), "Has Bob been to Rome?");
  EXPECT_EQ(english("Don't you think so?"), "Doesn't Bob think so?");
  EXPECT_EQ(english("Am I late?"), "Is Ann late?");
  EXPECT_EQ(english("Could you send me the file?"), "Could Bob send Ann the file?");
  EXPECT_EQ(english("So do I."), "So does Ann.");
}

TEST(Absolutise, CM_4_english_cases) {
  EXPECT_EQ(english("My sister gave me hers, and mine is yours."),
            "Ann's sister gave Ann Ann's sister's, and Ann's is Bob's.");
  EXPECT_EQ(english("The house is mine, so are James and his dog."),
            "The house is Ann's, so are James and James's dog.");
}

TEST(Absolutise, CM_4_english_phrases_in_which_nobody_is_meant) {
  EXPECT_EQ(english("Thank you so much!"), "Thanks so much!");
  EXPECT_EQ(english("You're welcome!"), "No problem!");
  EXPECT_EQ(english("Let's start."), "Ann and Bob should start.");
  EXPECT_EQ(english("I did the work by myself."), "Ann did the work alone.");
}

TEST(Absolutise, CM_4_you_as_object_changes_no_verb) {
  EXPECT_EQ(english("This will help you find the way."), "This will help Bob find the way.");
  EXPECT_EQ(english("I hope you like the book."), "Ann hopes Bob likes the book.");
}

TEST(Absolutise, CM_4_third_persons_go_back_to_who_was_named) {
  EXPECT_EQ(english("My brother called. He is fine."), "Ann's brother called. Ann's brother is fine.");
  const auto result = absolutise("My brother met my uncle. He was late.", between("Ann", "Bob"));
  EXPECT_EQ(result.text,
            "Ann's brother met Ann's uncle. The one concerned (possibly Ann's uncle or Ann's brother) was late.");
  ASSERT_EQ(result.changes.size(), 3U);
  EXPECT_FALSE(result.changes[2].sure);
  EXPECT_EQ(result.changes[2].candidates, (std::vector<std::string>{"Ann's uncle", "Ann's brother"}));
}

TEST(Absolutise, CM_4_things) {
  EXPECT_EQ(english("I bought a lamp and put it in the corner."), "Ann bought a lamp and put the lamp in the corner.");
  EXPECT_EQ(english("It's raining."), "It's raining.");
  EXPECT_EQ(english("That is how it works."), "That is how that works.") << "nothing was named";
}

TEST(Absolutise, CM_4_chinese_people) {
  EXPECT_EQ(chinese("我明白你的意思，我自己会处理。"), "张三明白李四的意思，张三自己会处理。");
  EXPECT_EQ(chinese("咱们一起去吧"), "张三和李四一起去吧");
  EXPECT_EQ(chinese("谢谢您！"), "谢谢李四！");
  EXPECT_EQ(chinese("我妈来了，她很高兴"), "张三妈来了，张三的妈很高兴");
  EXPECT_EQ(chinese("王老师来过，他留了一本书"), "王老师来过，王老师留了一本书");
  EXPECT_EQ(chinese("小王和王老师吵架了，他很生气"), "小王和王老师吵架了，某人（可能是王老师或小王）很生气");
  EXPECT_EQ(chinese("我们赢了，我们很高兴"), "张三等人（可能包括李四）赢了，张三等人很高兴");
}

TEST(Absolutise, CM_4_chinese_things) {
  EXPECT_EQ(chinese("我看了《三体》，它很好看"), "张三看了《三体》，《三体》很好看");
  EXPECT_EQ(chinese("把它删掉"), "把该事物删掉");
  EXPECT_EQ(chinese("这位老师很好，其他老师也好"), "该老师很好，其他老师也好");
}

TEST(Absolutise, CM_4_in_a_group_by_mention_reply_and_call) {
  Speech speech;
  speech.sender = {"1", "张三"};
  speech.participants = {{"1", "张三"}, {"2", "李四"}, {"3", "王五"}};
  EXPECT_EQ(absolutise("你怎么看", speech).text, "对方（可能是李四或王五）怎么看");
  EXPECT_EQ(absolutise("王五，你怎么看", speech).text, "王五，王五怎么看");
  speech.reply_to = Person{"2", "李四"};
  EXPECT_EQ(absolutise("你怎么看", speech).text, "李四怎么看");
  speech.mentions = {{"3", "王五"}};
  EXPECT_EQ(absolutise("@王五 你怎么看", speech).text, "@王五 王五怎么看");
}

TEST(Absolutise, CM_4_places_by_the_messages_location_and_never_invented) {
  Speech speech = between("张三", "李四");
  EXPECT_EQ(absolutise("这里的天气很好", speech).text, "天气很好");
  EXPECT_EQ(absolutise("我在这里吃饭", speech).text, "张三吃饭");
  EXPECT_EQ(absolutise("本地人都知道", speech).text, "张三所在地人都知道");
  speech.speaker_place = "上海";
  EXPECT_EQ(absolutise("这里的天气很好", speech).text, "上海的天气很好");
  speech.place = "杭州";
  EXPECT_EQ(absolutise("我在这里吃饭", speech).text, "张三在杭州吃饭");
  EXPECT_EQ(absolutise("我去了北京，那边很冷", speech).text, "张三去了北京，北京很冷");

  Speech speech_en = between("Ann", "Bob");
  EXPECT_EQ(absolutise("The weather is good here.", speech_en).text, "The weather is good.");
  EXPECT_EQ(absolutise("I live here.", speech_en).text, "Ann lives at Ann's location.");
  speech_en.place = "Paris";
  EXPECT_EQ(absolutise("I live here. Ann came from here.", speech_en).text, "Ann lives in Paris. Ann came from Paris.");
  EXPECT_EQ(absolutise("We went to the gym and met Eve there.", speech_en).text.find("there"), std::string::npos);
}

TEST(Absolutise, CM_4_what_is_protected_stays) {
  EXPECT_EQ(english("I said \"I am here\" to you"), "Ann said \"I am here\" to Bob");
  Speech speech = between("你是谁", "李四");
  EXPECT_EQ(absolutise("你是谁说：我在看《后天》", speech).text, "你是谁说：你是谁在看《后天》");
  EXPECT_EQ(english("I ran `my_script me` on https://example.org/you"),
            "Ann ran `my_script me` on https://example.org/you");
}

TEST(Absolutise, CM_4_without_names_a_description_stands_for_the_speaker) {
  EXPECT_EQ(absolutise("I am late.", Speech()).text, "The speaker is late.");
  EXPECT_EQ(absolutise("我迟到了", Speech()).text, "说话人迟到了");
}

TEST(Absolutise, CM_4_earlier_messages_give_candidates) {
  Speech speech = between("Ann", "Bob");
  speech.earlier = {{"Bob", "I talked to my sister."}};
  const auto result = absolutise("How is she?", speech);
  EXPECT_EQ(result.text, "How is Bob's sister?");
}

TEST(Absolutise, CM_4_changes_name_their_place_in_the_original) {
  const std::string text = "I think 我 am right";
  for (const Change& change : absolutise(text, between("Ann", "Bob")).changes)
    EXPECT_EQ(text.substr(change.begin, change.end - change.begin), change.what);
}

// Every name, number, identifier, address and quotation is still there, whatever the text is.
TEST(Absolutise, CM_4_nothing_of_substance_is_lost) {
  const std::vector<std::string> kept = {
      "Ann",  "Zoë",    "42",      "3.14",       "A-17", "https://a.example/i", "“我的”", "\"my own\"", "《你好》",
      "`me`", "王小明", "x@y.org", "2026-03-05", "李四", "/var/me/you"};
  const std::vector<std::string> loose = {
      "I",   "you",    "my",   "it is", "we",   "they", "here",          "there",    "me",  "do you", "I'm",  "let's",
      "her", "myself", "them", "我",    "你的", "他们", "这里",          "在那边",   "它",  "我们",   "咱们", "这位",
      "，",  "。",     ". ",   "! ",    ", ",   "\n",   "go and make a", "the shop", "\xff"};
  std::mt19937 random(3);
  for (int round = 0; round < 1500; ++round) {
    std::string text;
    std::vector<std::string> used;
    for (int i = 0; i < 14; ++i) {
      if (random() % 3 == 0) {
        used.push_back(kept[random() % kept.size()]);
        text += " " + used.back() + " ";
      } else {
        text += loose[random() % loose.size()] + " ";
      }
    }
    const std::string out = absolutise(text, random() % 2 == 0 ? between("Ann", "Bob") : between("张三", "李四")).text;
    for (const std::string& word : used)
      EXPECT_NE(out.find(word), std::string::npos) << word << "\n" << text << "\n" << out;
  }
}

TEST(Absolutise, CM_4_long_and_broken_texts) {
  for (const auto* piece : {"I think you know it. ", "我觉得你在这里，它很好。", "\"", "《", "'a ", "my ", "Bob ", "@",
                            "/a", "\xff", "there it is ", "王"}) {
    std::string text;
    while (text.size() < test::kLargeText) text += piece;
    EXPECT_FALSE(absolutise(text, between("Ann", "Bob")).text.empty());
  }
  EXPECT_EQ(absolutise("", Speech()).text, "");
}

}  // namespace
}  // namespace weft
