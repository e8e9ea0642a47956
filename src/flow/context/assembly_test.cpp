#include <gtest/gtest.h>

#include <random>

#include "flow/context/assembly.h"
#include "tests/support/messages.h"

namespace weft {
namespace {

using test::assistant;
using test::system;
using test::user;

Placed placed(std::string section, Message message) {
  const bool moves = section == "memory" || section == "task";
  return {std::move(section), std::move(message), moves};
}

TEST(Fold, AC_10_one_system_message_at_the_head_and_memories_in_the_users_own) {
  const auto folded =
      fold({placed("system", system("be kind")), placed("rules", system("no lies")), placed("memory", system("<old/>")),
            placed("history", user("one")), placed("history", assistant("two")), placed("memory", system("<memory/>")),
            placed("task", system("<task/>")), placed("input", user("three"))},
           false);
  ASSERT_EQ(folded.size(), 4u);
  EXPECT_EQ(folded[0].content, "be kind\n\nno lies");
  EXPECT_EQ(folded[1].content, "<old/>\n\none");
  EXPECT_EQ(folded[3].content, "<memory/>\n\n<task/>\n\nthree");
}

TEST(Fold, AC_10_while_tools_are_at_work_what_moves_stands_behind_the_last_output) {
  Message output;
  output.role = Role::kTool;
  output.content = "exit code 0";
  const auto folded =
      fold({placed("input", user("go")), placed("input", output), placed("task", system("<task/>"))}, false);
  ASSERT_EQ(folded.size(), 2u);
  EXPECT_EQ(folded[1].content, "exit code 0\n\n<task/>");
}

TEST(Fold, AC_10_where_nobody_asked_anything_there_is_still_one_system_message) {
  const auto folded = fold({placed("history", assistant("hello")), placed("task", system("<task/>"))}, false);
  ASSERT_EQ(folded.size(), 2u);
  EXPECT_EQ(folded[0].role, Role::kSystem);
  EXPECT_EQ(folded[0].content, "<task/>");
}

TEST(Fold, AC_10_models_that_take_several_get_them_where_they_belong) {
  const auto folded = fold({placed("system", system("a")), placed("history", user("b")), placed("memory", system("c")),
                            placed("input", user("d"))},
                           true);
  ASSERT_EQ(folded.size(), 4u);
  EXPECT_EQ(folded[2].role, Role::kSystem);
}

TEST(Fold, AC_10_no_text_is_lost_and_no_system_message_follows_the_first) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<Placed> all;
    std::vector<std::string> texts;
    const int count = 1 + static_cast<int>(random() % 12);
    for (int i = 0; i < count; ++i) {
      texts.push_back("<" + std::to_string(round * 100 + i) + ">");
      switch (random() % 4) {
        case 0: all.push_back(placed("memory", system(texts.back()))); break;
        case 1: all.push_back(placed("history", assistant(texts.back()))); break;
        default: all.push_back(placed("history", user(texts.back())));
      }
    }
    const auto folded = fold(all, false);
    std::string whole;
    for (std::size_t i = 0; i < folded.size(); ++i) {
      whole += folded[i].content;
      if (i == 0) continue;
      EXPECT_NE(folded[i].role, Role::kSystem);
    }
    for (const std::string& text : texts) EXPECT_NE(whole.find(text), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace weft
