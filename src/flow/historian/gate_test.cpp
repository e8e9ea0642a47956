#include "flow/historian/gate.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>

namespace weft {
namespace {

std::string name_of(GateKind kind) {
  return kind == GateKind::kPronoun ? "pronoun" : kind == GateKind::kTime ? "time" : "place";
}

std::vector<std::string> words(std::string_view text, GateMode mode, const std::vector<std::string>& names = {}) {
  std::vector<std::string> out;
  for (const GateHit& hit : check(text, mode, names)) {
    EXPECT_EQ(text.substr(hit.offset, hit.word.size()), hit.word);
    out.push_back(name_of(hit.kind) + " " + hit.word);
  }
  return out;
}

using Words = std::vector<std::string>;

TEST(Gate, CM_5_literal_is_the_three_lists_by_character) {
  EXPECT_EQ(words("其他人昨天到了本地化部门", GateMode::kLiteral), (Words{"pronoun 他", "time 昨天", "place 本地"}));
  EXPECT_EQ(words("他们刚刚在那边", GateMode::kLiteral), (Words{"pronoun 他们", "time 刚刚", "place 那边"}));
  EXPECT_TRUE(words("I was here yesterday 您好 咱们", GateMode::kLiteral).empty());
}

TEST(Gate, CM_5_literal_agrees_with_the_expressions_of_the_specification) {
  const std::regex lists(
      "我|你|他|她|它|他们|她们|它们|这位|那位|今天|昨天|明天|刚才|刚刚|稍后|上周|下周|最近|这里|那边|本地|当地|这儿|"
      "那儿");
  const Words pieces = {"我", "们", "你", "好", "他", "其", "今", "天", "昨", "明", "刚", "才", "这",
                        "里", "那", "边", "儿", "本", "地", "当", "最", "近", "上", "周", "a"};
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 6; ++i) text += pieces[random() % pieces.size()];
    EXPECT_EQ(std::regex_search(text, lists), !check(text, GateMode::kLiteral).empty()) << text;
  }
}

TEST(Gate, CM_5_balanced_reads_words) {
  EXPECT_EQ(words("我昨天在这里见到了她", GateMode::kBalanced),
            (Words{"pronoun 我", "time 昨天", "place 这里", "pronoun 她"}));
  for (const auto* text :
       {"其他自我介绍", "他乡的本地化工作", "离酒店最近的地铁站", "最近邻算法", "弹吉他", "你好，张三"}) {
    EXPECT_TRUE(words(text, GateMode::kBalanced).empty()) << text;
  }
}

TEST(Gate, CM_5_balanced_has_english_lists_of_equal_strength) {
  EXPECT_EQ(words("I saw him there yesterday", GateMode::kBalanced),
            (Words{"pronoun I", "pronoun him", "place there", "time yesterday"}));
  EXPECT_EQ(words("Last week she recently moved here", GateMode::kBalanced),
            (Words{"time Last week", "pronoun she", "time recently", "place here"}));
  EXPECT_EQ(words("See the report later, just now it failed", GateMode::kBalanced),
            (Words{"time later", "time just now", "pronoun it"}));
  for (const auto* text : {"There is a plan", "It is raining", "two days later the US team won", "Ann taught herself",
                           "the last week of May"}) {
    EXPECT_TRUE(words(text, GateMode::kBalanced).empty()) << text;
  }
}

TEST(Gate, CM_5_balanced_passes_over_what_is_protected) {
  EXPECT_TRUE(words("张三说“我明天去”", GateMode::kBalanced).empty());
  EXPECT_TRUE(words("Ann said \"I was here yesterday\"", GateMode::kBalanced).empty());
  EXPECT_TRUE(words("你是谁在看《后天》", GateMode::kBalanced, {"你是谁"}).empty());
  EXPECT_FALSE(words("你是谁在看《后天》", GateMode::kBalanced).empty());
}

TEST(Gate, CM_5_a_word_with_its_meaning_is_resolved_a_vague_substitute_is_not) {
  for (const auto* text :
       {"I [Ann] saw him [Tom] yesterday [4 March 2026]", "他[李雷]昨天下午[2026年3月4日下午]来了",
        "She's [Kate] ill, and she sleeps", "I [Ann] think I know", "tomorrow at five [6 March 2026] we"})
    EXPECT_EQ(words(text, GateMode::kBalanced), std::string(text).ends_with(" we") ? Words{"pronoun we"} : Words{})
        << text;
  EXPECT_EQ(words("she [Kate] left. She came back", GateMode::kBalanced), Words{"pronoun She"});
  EXPECT_EQ(words("he [someone] left", GateMode::kBalanced), Words{"pronoun he"});
  EXPECT_EQ(words("他[某人]走了", GateMode::kBalanced), Words{"pronoun 他"});
  EXPECT_EQ(words("The one concerned left", GateMode::kBalanced), Words{"pronoun The one concerned"});
  EXPECT_EQ(words("tomorrow, he said [sic]", GateMode::kBalanced).size(), 2U);
}

TEST(Gate, CM_5_any_bytes_and_a_long_text) {
  EXPECT_TRUE(check("", GateMode::kBalanced).empty());
  EXPECT_EQ(check("\xff\xfe我\xe6", GateMode::kBalanced).size(), 1U);
  std::string text;
  while (text.size() < 1U << 20) text += "我昨天在这里, I was there. ";
  EXPECT_FALSE(check(text, GateMode::kBalanced).empty());
  EXPECT_FALSE(check(std::string(1U << 20, '"'), GateMode::kLiteral).size());
}

}  // namespace
}  // namespace weft
