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

Item item(std::string session, std::vector<MessageId> sources) {
  Item made;
  made.kind = ItemKind::kEvent;
  made.session = SessionId(std::move(session));
  made.sources = std::move(sources);
  return made;
}

TEST(Visible, AC_13_a_source_has_one_slot_in_whatever_form) {
  Visible visible{SessionId("s")};
  const Message said = test::user("I live in Rome");
  visible.add(said, MessageId("m1"));
  EXPECT_TRUE(visible.shows_source_of(item("s", {MessageId("m1")})));
  EXPECT_TRUE(visible.shows_source_of(item("s", {MessageId("m0"), MessageId("m1")})));
  EXPECT_FALSE(visible.shows_source_of(item("s", {MessageId("m2")})));
  visible.add(item("s", {MessageId("m2"), MessageId("m3")}));
  EXPECT_TRUE(visible.shows_source_of(item("s", {MessageId("m3")})));
}

TEST(Visible, AC_13_parts_of_one_long_message_may_stand_beside_each_other) {
  Visible visible{SessionId("s")};
  Item part = item("t", {MessageId("m1")});
  part.kind = ItemKind::kMessage;
  part.id = ItemId("message:t/m1#0");
  part.text = "the first part";
  visible.add(part);
  EXPECT_FALSE(visible.shows_source_of(part));
  Item event = item("t", {MessageId("m1")});
  event.kind = ItemKind::kEvent;
  EXPECT_TRUE(visible.shows_source_of(event));
  visible.add(event);
  EXPECT_TRUE(visible.shows_source_of(part));
}

TEST(Visible, AC_13_clients_number_their_messages_anew_in_each_session) {
  Visible visible{SessionId("s")};
  const Message said = test::user("I live in Rome");
  visible.add(said, MessageId("m1"));
  EXPECT_FALSE(visible.shows_source_of(item("t", {MessageId("m1")})));
}

TEST(Visible, AC_13_the_same_words_of_another_conversation_are_shown_already) {
  Visible visible{SessionId("s")};
  const Message said = test::user("Hello! 我住在罗马。");
  visible.add(said, MessageId());
  EXPECT_TRUE(visible.shows_text(" 我住在罗马。\n"));
  EXPECT_FALSE(visible.shows_text("我住在马德里。"));
  EXPECT_FALSE(visible.shows_text("  "));
}

}  // namespace
}  // namespace weft
