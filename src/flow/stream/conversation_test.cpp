#include "flow/stream/conversation.h"

#include <gtest/gtest.h>

#include <string>

namespace weft {
namespace {

Role role_of(char letter) {
  if (letter >= 'A' && letter <= 'Z') return Role::kAssistant;
  return letter >= '0' && letter <= '9' ? Role::kTool : Role::kUser;
}

// Small letters are said by the user, capital ones by the assistant, digits by a tool.
std::vector<PathNode> path(std::string_view letters) {
  std::vector<PathNode> out;
  for (const char letter : letters) {
    PathNode node;
    node.digest = static_cast<std::uint64_t>(letter);
    node.role = role_of(letter);
    out.push_back(node);
  }
  return out;
}

Relation relation(std::string_view known, std::string_view sent, std::size_t offset = 0) {
  std::vector<HistoryMark> marks;
  for (const char letter : sent) marks.push_back({static_cast<std::uint64_t>(letter), role_of(letter)});
  std::size_t common = 0;
  while (offset + common < known.size() && common < sent.size() && known[offset + common] == sent[common]) ++common;
  return relation_of(path(known), offset, common, marks);
}

TEST(Conversation, PF_12_where_a_history_parts_decides) {
  EXPECT_EQ(relation("aB", "aBc"), Relation::kContinues);
  EXPECT_EQ(relation("aBc", "aBc"), Relation::kSame);
  EXPECT_EQ(relation("aBcD", "aBc"), Relation::kReplacesReply);
  EXPECT_EQ(relation("aBcD1E", "aBc"), Relation::kReplacesReply);
  EXPECT_EQ(relation("aBcD1E", "aBcD2"), Relation::kReplacesReply);
  EXPECT_EQ(relation("aBcD", "aBx"), Relation::kReplacesTurn);
  EXPECT_EQ(relation("aBc", "aBx"), Relation::kReplacesTurn);
  EXPECT_EQ(relation("aBcD", "aBcXe"), Relation::kOtherReply);
}

TEST(Conversation, PF_12_what_parts_earlier_is_another_one) {
  EXPECT_EQ(relation("aBcDeF", "aBc"), Relation::kOther);
  EXPECT_EQ(relation("aBcDeF", "aBx"), Relation::kOther);
  EXPECT_EQ(relation("aBcD", "aBxYz"), Relation::kOther);
  EXPECT_EQ(relation("aB", "x"), Relation::kOther);
  EXPECT_EQ(relation("aBcDe", "a"), Relation::kOther);
}

TEST(Conversation, PF_12_the_beginning_may_have_been_dropped) {
  EXPECT_EQ(relation("aBcDeF", "cDeFg", 2), Relation::kContinues);
  EXPECT_EQ(relation("aBcDeF", "cDx", 2), Relation::kReplacesTurn);
  EXPECT_EQ(relation("aBcDeFgH", "cDx", 2), Relation::kOther);
}

TEST(Conversation, PF_12_an_edit_keeps_most_of_the_text) {
  EXPECT_TRUE(is_edit_of("I live in Madrid.", "I live in Rome."));
  EXPECT_TRUE(is_edit_of("我住在马德里。", "我住在罗马。"));
  EXPECT_TRUE(is_edit_of("the answer", " <think>so</think> the answer\n"));
  EXPECT_FALSE(is_edit_of("What is the weather there?", "I live in Rome."));
  EXPECT_FALSE(is_edit_of("My cat is called Tom", "My dog is called Rex"));
  EXPECT_FALSE(is_edit_of("", "I live in Rome."));
}

TEST(Conversation, PF_12_a_chain_says_everything_up_to_it) {
  const std::vector<HistoryMark> one = {{1, Role::kUser}, {2, Role::kAssistant}, {3, Role::kUser}};
  const std::vector<HistoryMark> other = {{2, Role::kUser}, {1, Role::kAssistant}, {3, Role::kUser}};
  EXPECT_NE(chains_of(one)[2], chains_of(other)[2]);
  EXPECT_EQ(chains_of(one)[1], chains_of(std::span(one).first(2))[1]);
  EXPECT_NE(chains_of(one)[0], 0U);
}

}  // namespace
}  // namespace weft
