#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "flow/memory/lore_entry.h"

namespace weft {
namespace {

using Names = std::vector<std::string>;

LoreEntry with_keys(Names keys, Names secondary = {}, LoreLogic logic = LoreLogic::kAndAny) {
  LoreEntry entry;
  entry.id = "lore:test#1";
  entry.keys = std::move(keys);
  entry.secondary_keys = std::move(secondary);
  entry.logic = logic;
  return entry;
}

bool called(const LoreEntry& entry, const std::string& text) {
  return !LoreTriggers(std::vector<LoreEntry>{entry}).match(text).empty();
}

TEST(LoreKeys, HC_3_whole_words_in_latin_anything_in_chinese) {
  EXPECT_TRUE(called(with_keys({"lamp"}), "Light the LAMP, Mira."));
  EXPECT_FALSE(called(with_keys({"lamp"}), "The lamprey swims."));
  EXPECT_FALSE(called(with_keys({"lamp"}), "headlamp"));
  EXPECT_TRUE(called(with_keys({"lamp"}), "lamprey and lamp"));
  EXPECT_TRUE(called(with_keys({"lamp"}), "请点亮lamp吧"));
  EXPECT_TRUE(called(with_keys({"钥匙"}), "那把钥匙是开神庙的吗"));
  EXPECT_TRUE(called(with_keys({"钥匙"}), "那把鑰匙呢"));  // traditional
  EXPECT_FALSE(called(with_keys({"钥匙"}), "门锁"));
  EXPECT_TRUE(called(with_keys({"grey point"}), "at Grey\n  Point"));
  EXPECT_TRUE(called(with_keys({"ＬＡＭＰ"}), "lamp"));  // full width
  EXPECT_TRUE(called(with_keys({"마녀"}), "마녀는 숲에 산다"));
  EXPECT_TRUE(called(with_keys({"mira's"}), "That is Mira's coat"));
  EXPECT_FALSE(called(with_keys({""}), "anything"));
  EXPECT_FALSE(called(with_keys({}), "anything"));
  EXPECT_FALSE(called(with_keys({"lamp"}), ""));
}

TEST(LoreKeys, HC_3_case_and_parts_of_words_where_the_author_says_so) {
  LoreEntry exact = with_keys({"IT"});
  exact.case_sensitive = true;
  EXPECT_TRUE(called(exact, "the IT department"));
  EXPECT_FALSE(called(exact, "it rains"));
  LoreEntry part = with_keys({"lamp"});
  part.whole_words = false;
  EXPECT_TRUE(called(part, "headlamps"));
}

TEST(LoreKeys, HC_3_secondary_keys_follow_their_logic) {
  const std::string none = "the temple", one = "the temple and a key", both = "temple, key, 村长";
  const auto entry = [](LoreLogic logic) { return with_keys({"temple"}, {"key", "村长"}, logic); };
  EXPECT_FALSE(called(entry(LoreLogic::kAndAny), none));
  EXPECT_TRUE(called(entry(LoreLogic::kAndAny), one));
  EXPECT_TRUE(called(entry(LoreLogic::kNotAll), one));
  EXPECT_FALSE(called(entry(LoreLogic::kNotAll), both));
  EXPECT_TRUE(called(entry(LoreLogic::kNotAny), none));
  EXPECT_FALSE(called(entry(LoreLogic::kNotAny), one));
  EXPECT_FALSE(called(entry(LoreLogic::kAndAll), one));
  EXPECT_TRUE(called(entry(LoreLogic::kAndAll), both));
  EXPECT_FALSE(called(entry(LoreLogic::kNotAny), "no such place"));
  LoreEntry constant = with_keys({});
  constant.constant = true;
  EXPECT_TRUE(called(constant, ""));
  constant.enabled = false;
  EXPECT_FALSE(called(constant, ""));
}

TEST(LoreKeys, HC_3_patterns_are_bounded_and_broken_ones_are_words) {
  EXPECT_TRUE(called(with_keys({"/gr[ae]y (point|cape)/i"}), "by Gray Cape at night"));
  EXPECT_FALSE(called(with_keys({"/gr[ae]y/"}), "GREY"));
  EXPECT_TRUE(called(with_keys({"/第[0-9一二三]+夜/"}), "第三夜"));
  EXPECT_TRUE(called(with_keys({"/bell/", "lamp"}), "a lamp"));
  const LoreTriggers broken({with_keys({"/(bell/i", "/x/q"})});
  ASSERT_EQ(broken.broken_patterns().size(), 2u);
  EXPECT_NE(broken.broken_patterns()[0].find("lore:test#1: \"/(bell/i\": not a pattern"), std::string::npos);
  EXPECT_EQ(broken.match("he typed /(bell/i here").size(), 1u);
  const std::string slow = std::string(15'000, 'a') + "!";
  for (const char* pattern :
       {"/(a+)+$/", "/(a|aa)+$/", "/a*a*a*a*b/", "/(.*)(.*)(.*)(.*)z/", "/(?:a?){40}a{40}c/", "/a*b/"}) {
    EXPECT_FALSE(called(with_keys({pattern}), slow)) << pattern;
  }
}

TEST(LoreKeys, HC_3_all_entries_at_once_say_what_each_says_alone) {
  std::mt19937 random(2);
  const Names parts{"a", "ab", "abc", "b", "bc", " ", "钥", "钥匙", "匙", "-", "A"};
  const auto some = [&](std::size_t most) {
    std::string text;
    for (std::size_t n = 1 + random() % most; n > 0; --n) text += parts[random() % parts.size()];
    return text;
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<LoreEntry> entries;
    for (int i = 0; i < 20; ++i) {
      entries.push_back(with_keys({some(3), some(2)}, random() % 2 == 0 ? Names{some(1)} : Names{},
                                  static_cast<LoreLogic>(random() % 4)));
      entries.back().whole_words = random() % 2 == 0;
      entries.back().case_sensitive = random() % 3 == 0;
    }
    const LoreTriggers triggers(entries);
    const std::string text = some(12);
    const auto found = triggers.match(text);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(std::find(found.begin(), found.end(), i) != found.end(), called(entries[i], text)) << text;
    }
  }
}

TEST(LoreKeys, HC_3_hostile_keys_cost_no_more_than_their_length) {
  std::vector<LoreEntry> entries;
  std::string key;
  for (int i = 0; i < 1'000; ++i) {
    entries.push_back(with_keys({key += 'a', "a"}));
    entries.back().whole_words = false;
  }
  const LoreTriggers triggers(entries);
  EXPECT_EQ(triggers.match(std::string(20'000, 'a')).size(), 1'000u);
  EXPECT_EQ(triggers.match("\xFF\xFE a \x80").size(), 1'000u);
}

}  // namespace
}  // namespace weft
