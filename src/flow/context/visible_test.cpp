#include "flow/context/visible.h"

#include <gtest/gtest.h>

#include "tests/support/messages.h"

namespace weft {
namespace {

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
