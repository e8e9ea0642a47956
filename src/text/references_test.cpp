#include "text/references.h"

#include <gtest/gtest.h>

#include "text/english_verbs.h"

namespace weft {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (const Reference& r : find_references(text, protected_spans(text)))
    out.emplace_back(text.substr(r.begin, r.end - r.begin));
  return out;
}

using Words = std::vector<std::string>;

TEST(References, CM_4_english_pronouns_with_their_contractions) {
  EXPECT_EQ(words("I'm sure you've met her and my brother."), (Words{"I", "you", "her", "my"}));
  EXPECT_EQ(words("Let's ask them"), (Words{"Let's", "them"}));
  EXPECT_EQ(words("They’re ours"), (Words{"They", "ours"}));
}

TEST(References, CM_4_case_and_number) {
  const auto text = std::string("I gave her her book and it is mine");
  const auto found = find_references(text, {});
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0].form, PronounForm::kSubject);
  EXPECT_EQ(found[0].person, 1);
  EXPECT_EQ(found[1].form, PronounForm::kObject);
  EXPECT_EQ(found[2].form, PronounForm::kDeterminer);
  EXPECT_EQ(found[2].gender, Gender::kFemale);
  EXPECT_EQ(found[3].kind, ReferenceKind::kThing);
  EXPECT_EQ(found[4].form, PronounForm::kPossessive);
}

TEST(References, CM_5_it_that_stands_for_nothing) {
  for (const auto* text :
       {"It is raining.", "It's clear that the plan works.", "It was nice to hear the news.", "It's time to go.",
        "It seems that the door is open.", "It takes an hour to walk.", "Keep it up!", "Is it snowing?"}) {
    EXPECT_TRUE(words(text).empty()) << text;
  }
  for (const auto* text : {"It is red.", "Put it on the table.", "Did it work?", "It has four wheels."}) {
    EXPECT_EQ(words(text).size(), 1U) << text;
  }
}

TEST(References, CM_5_there_and_here_that_are_no_places) {
  for (const auto* text :
       {"There is a problem.", "Are there any seats?", "There's no doubt.", "Here is the picture.", "Hi there!"}) {
    EXPECT_TRUE(words(text).empty()) << text;
  }
  EXPECT_EQ(words("We met over there."), (Words{"We", "there"}));
  EXPECT_EQ(words("The shop is here."), Words{"here"});
}

TEST(References, CM_5_initials_and_numbers_are_no_pronouns) {
  EXPECT_TRUE(words("The US and IT departments in World War I").empty());
  EXPECT_TRUE(words("a gold mine").empty());
}

TEST(References, CM_4_chinese_pronouns_longest_first) {
  EXPECT_EQ(words("我们和他们都认识你们。"), (Words{"我们", "他们", "你们"}));
  EXPECT_EQ(words("咱们去她家，把它带上"), (Words{"咱们", "她", "它"}));
  EXPECT_EQ(words("这位是谁？那位呢"), (Words{"这位", "那位"}));
  EXPECT_EQ(words("这里和那边，本地和当地，这儿和那儿"), (Words{"这里", "那边", "本地", "当地", "这儿", "那儿"}));
}

TEST(References, CM_5_chinese_words_that_merely_contain_one) {
  for (const auto* text :
       {"其他问题", "自我介绍", "他乡遇故知", "软件本地化", "弹吉他", "日本地震", "应当地震演练", "这儿童乐园",
        "这里程碑", "这位置不错", "迷你裤", "利他主义", "维他命", "成为日本人", "基本地形"}) {
    EXPECT_TRUE(words(text).empty()) << text;
  }
}

TEST(References, CM_4_verbs_agree_with_a_name) {
  EXPECT_EQ(third_person("go"), "goes");
  EXPECT_EQ(third_person("try"), "tries");
  EXPECT_EQ(third_person("play"), "plays");
  EXPECT_EQ(third_person("watch"), "watches");
  EXPECT_EQ(third_person("have"), "has");
  EXPECT_EQ(third_person("am"), "is");
  EXPECT_EQ(third_person("don't"), "doesn't");
  EXPECT_EQ(third_person("can"), "can");
  EXPECT_TRUE(is_past_form("walked"));
  EXPECT_TRUE(is_past_form("went"));
  EXPECT_FALSE(is_past_form("need"));
}

}  // namespace
}  // namespace weft
