#include "text/quantity_request.h"

#include <gtest/gtest.h>

#include <string>

namespace weft {
namespace {

using Operation = QuantityOperation;

struct Case {
  const char* text;
  const char* what;
  Operation operation;
  double amount;
};

void expect_single(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    const auto requests = quantity_requests(one.text);
    ASSERT_EQ(requests.size(), 1u) << one.text;
    EXPECT_EQ(requests[0].what, one.what) << one.text;
    EXPECT_EQ(requests[0].operation, one.operation) << one.text;
    EXPECT_EQ(requests[0].amount, one.amount) << one.text;
  }
}

TEST(QuantityRequest, HC_1_english_changes_of_numbers_are_read) {
  expect_single({{"HP -5", "hp", Operation::kAdd, -5},
                 {"HP-5", "hp", Operation::kAdd, -5},
                 {"hp \u2212 5", "hp", Operation::kAdd, -5},
                 {"health +10", "health", Operation::kAdd, 10},
                 {"gold -= 3", "gold", Operation::kAdd, -3},
                 {"set gold to 30", "gold", Operation::kSet, 30},
                 {"Please set my HP to eighty points, thanks!", "hp", Operation::kSet, 80},
                 {"give me 3 potions", "potions", Operation::kAdd, 3},
                 {"Could you give me twenty-five gold pieces, please?", "gold pieces", Operation::kAdd, 25},
                 {"add two arrows to my quiver", "arrows", Operation::kAdd, 2},
                 {"take away 5 gold", "gold", Operation::kAdd, -5},
                 {"use one potion", "potion", Operation::kAdd, -1},
                 {"drink 2 potions of healing", "potions of healing", Operation::kAdd, -2},
                 {"raise mana to 40", "mana", Operation::kSet, 40},
                 {"I lost 5 HP", "hp", Operation::kAdd, -5},
                 {"take 6 damage", "hp", Operation::kAdd, -6}});
}

TEST(QuantityRequest, HC_1_chinese_changes_of_numbers_are_read) {
  expect_single({{"把药水加三瓶", "药水", Operation::kAdd, 3},
                 {"金币减5", "金币", Operation::kAdd, -5},
                 {"金币-5", "金币", Operation::kAdd, -5},
                 {"生命值设为80", "生命值", Operation::kSet, 80},
                 {"给我三瓶药水", "药水", Operation::kAdd, 3},
                 {"請給我三瓶藥水吧，謝謝！", "药水", Operation::kAdd, 3},
                 {"扣10点血", "血", Operation::kAdd, -10},
                 {"扣血十点", "血", Operation::kAdd, -10},
                 {"再给我两个火把", "火把", Operation::kAdd, 2},
                 {"把HP设为８０", "hp", Operation::kSet, 80},
                 {"我的金币加二十", "金币", Operation::kAdd, 20},
                 {"金币清零", "金币", Operation::kSet, 0},
                 {"能不能给我两瓶药水？", "药水", Operation::kAdd, 2}});
}

TEST(QuantityRequest, HC_1_several_changes_and_places_are_read) {
  const auto english = quantity_requests("give me 3 potions and 2 arrows, then set hp to 50");
  ASSERT_EQ(english.size(), 3u);
  EXPECT_EQ(english[1].amount, 2);
  EXPECT_TRUE(english[1].what == "arrows" && english[2].operation == Operation::kSet);
  const auto chinese = quantity_requests("从背包里拿走两支箭，金币加五");
  ASSERT_EQ(chinese.size(), 2u);
  EXPECT_EQ(chinese[0].where, "背包");
  EXPECT_EQ(chinese[0].amount, -2);
  EXPECT_EQ(chinese[1].amount, 5);
}

TEST(QuantityRequest, HC_1_stories_questions_and_other_requests_are_none) {
  for (const char* text : {"I give him three reasons",
                           "the 3 potions smell odd, what are they?",
                           "how many potions do I have?",
                           "set gold to 30 and tell me a story",
                           "give me three ideas",
                           "give me 5 minutes",
                           "GPT-4",
                           "HP 80/100",
                           "hp +10%",
                           "What happens if I set HP to 0?",
                           "take 3 potions",
                           "give Aria 3 potions",
                           "the temperature is -5",
                           "do not give me 3 potions",
                           "drink 2 potions and wait for the guard",
                           "did I use 2 potions?",
                           "10-5",
                           "三天后我再来",
                           "给我三分钟",
                           "给我三个理由",
                           "我有三瓶药水",
                           "他给了我三瓶药水",
                           "三四瓶药水",
                           "给他三瓶药水",
                           "用三句话总结",
                           "生命值设为80会怎样？",
                           "不要给我三瓶药水",
                           "我喝了两瓶药水，然后去睡觉",
                           "金币减少了5枚，怎么回事？",
                           "",
                           "?",
                           "hello",
                           "你好"})
    EXPECT_TRUE(quantity_requests(text).empty()) << text;
}

TEST(QuantityRequest, HC_1_broken_and_long_input_is_none) {
  EXPECT_TRUE(quantity_requests(std::string(1'000'000, '-')).empty());
  EXPECT_TRUE(quantity_requests("\xff\xfe\xe4").empty());
  EXPECT_TRUE(quantity_requests("set gold to 99999999999999999999").empty());
  EXPECT_TRUE(quantity_requests(std::string(399, '-')).empty());
}

}  // namespace
}  // namespace weft
