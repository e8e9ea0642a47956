#include "flow/memory/told_changes.h"

#include <gtest/gtest.h>

#include "flow/memory/said_facts.h"

namespace weft {
namespace {

std::string told(std::string_view known, std::string_view attribute, std::string_view message) {
  const KnownMatter matter{known, attribute, known};
  const auto changes = told_changes(message, std::span(&matter, 1));
  return changes.empty() ? std::string() : changes.front().value;
}

TEST(ToldChanges, CM_17_a_thing_gets_another_value_in_other_words) {
  EXPECT_EQ(told("The user's gym is Flexo.", "of gym", "As of May my gym has been Ironworks."), "Ironworks");
  EXPECT_EQ(told("The user's fee is 40 francs a month.", "fee", "They raised my fee to 55 francs a month."), "55");
  EXPECT_EQ(told("The user's piano lesson is on Mondays.", "of piano lesson",
                 "The piano lesson has been put off to Fridays."),
            "Fridays");
  EXPECT_EQ(told("The user's tutor is Mr Ito.", "of tutor", "Ms Brandt has taken over as my tutor."), "Ms Brandt");
  EXPECT_EQ(told("用户的车位是12号。", "of 车位", "物业把我的车位换到35号了。"), "35号");
  EXPECT_EQ(told("用户的班主任是周老师。", "of 班主任", "沈老师接手做我的班主任了。"), "沈老师");
}

TEST(ToldChanges, CM_17_whose_it_is_and_where_somebody_came_to) {
  EXPECT_EQ(told("The user's cousin Nell lives in Cork.", "residence", "Nell has settled in Galway by now."), "Galway");
  EXPECT_EQ(told("用户的表姐小棠住在昆明。", "residence", "小棠如今在大理安家了。"), "大理");
  EXPECT_EQ(told("The user's tutor is Mr Ito.", "of tutor", "Her tutor is Ms Brandt now."), "");
}

TEST(ToldChanges, CM_17_what_changes_nothing) {
  EXPECT_EQ(told("The user's fee is 40 francs a month.", "fee", "What if they raise my fee to 55 francs?"), "");
  EXPECT_EQ(told("The user's fee is 40 francs a month.", "fee", "I wish they lowered my fee to 30 francs now."), "");
  EXPECT_EQ(told("The user's fee is 40 francs a month.", "fee", "My fee of 40 francs a month is due now."), "");
  EXPECT_EQ(told("The user's boss is called Tobias.", "boss", "My boss is angry at Bob now."), "");
  EXPECT_EQ(told("The user's boss is called Tobias.", "boss", "My boss is at Acme now."), "");
  EXPECT_EQ(told("用户的班主任是周老师。", "of 班主任", "如果我的班主任换成沈老师就好了。"), "");
}

TEST(ToldChanges, CM_17_said_as_somebody_else_would) {
  EXPECT_EQ(in_third_person("The landlord raised my rent.", ""), "The landlord raised the user's rent.");
  EXPECT_EQ(in_third_person("I left my club, I'm at Rovers now", "Ann"), "Ann left Ann's club, Ann is at Rovers now.");
  EXPECT_EQ(in_third_person("我改了自我介绍", ""), "用户改了自我介绍。");
  EXPECT_EQ(in_third_person("我们换了新教练，叫老郭", ""), "用户换了新教练，叫老郭。");
}

}  // namespace
}  // namespace weft
