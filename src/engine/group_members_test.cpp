// Who speaks in a group is known by id, whatever people are called.
#include <set>

#include "ports/files/file_system.h"
#include "tests/support/engine_fixture.h"

namespace weft::test {
namespace {

class GroupMembers : public EngineTest {
 protected:
  void say(const std::string& member, const std::string& name, const std::string& text,
           const std::string& answer = "好的") {
    const auto report = engine_->session(in("42", member), SessionId("s"))
                            .observe(std::vector{Message::user(text, name), Message::assistant(answer)});
    ASSERT_TRUE(report.ok()) << report.error().message;
    drain();
  }

  std::string file(const std::string& kind, const std::string& id) const {
    return read_file(std::filesystem::path(config_.workspace) / "profiles" / kind / (id + ".md")).value_or("");
  }

  // The lines of the group's profile that hold now, without their sources.
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::string body = file("groups", "42");
    for (const char* over : {"## Earlier", "## 以前"}) body = body.substr(0, body.find(over));
    for (std::size_t at = 0; (at = body.find("\n- ", at)) != std::string::npos; ++at)
      all.push_back(body.substr(at + 3, body.find_first_of("<\n", at + 3) - at - 3));
    return all;
  }

  bool any_line(const std::string& one, const std::string& other) const {
    for (const std::string& line : lines())
      if (line.find(one) != std::string::npos && line.find(other) != std::string::npos) return true;
    return false;
  }

  std::vector<Item> group_events() {
    EXPECT_TRUE(engine_->session(in("42", ""), SessionId("s")).save().ok());
    drain();
    return engine_->memory(in("42", "")).items(ItemKind::kEvent, 100).value();
  }

  std::string told() const {
    std::string all;
    for (const std::string& line : lines()) all += line + "\n";
    return all;
  }
};

// Clients that send only what is new, or a history without what others said.
TEST_F(GroupMembers, PF_22_no_member_takes_back_what_another_said) {
  open();
  const auto abandoned = [&](const char* session, const char* member, const std::vector<Message>& history) {
    return engine_->session(in("42", member), SessionId(session)).sync(history).value().abandoned;
  };
  const auto talk = [](const char* text) {
    return std::vector<Message>{Message::user("I live in Bonn."), Message::assistant("Nice."), Message::user(text)};
  };
  EXPECT_EQ(abandoned("one", "101", {Message::user("I live in Oslo.")}), 0u);
  EXPECT_EQ(abandoned("one", "102", {Message::user("I live in Rome.")}), 0u);
  EXPECT_EQ(abandoned("two", "103", talk("My birthday is on 3 May.")), 0u);
  EXPECT_EQ(abandoned("two", "104", talk("My birthday is on 9 July.")), 0u);
  EXPECT_EQ(abandoned("three", "105", talk("My train leaves at 8.")), 0u);
  EXPECT_EQ(abandoned("three", "105", talk("My train leaves at 9.")), 1u) << "one's own words can be edited";
  drain();
  std::string all;
  const auto kept = engine_->memory(in("42", "101")).items(ItemKind::kMessage, 100).value();
  for (const Item& item : kept) all += item.text + "\n";
  for (const char* said : {"Oslo", "Rome", "3 May", "9 July", "at 9."})
    EXPECT_NE(all.find(said), std::string::npos) << all;
  EXPECT_EQ(all.find("at 8."), std::string::npos) << all;
}

TEST_F(GroupMembers, PF_5_forgetting_a_member_in_groups_takes_what_no_event_was_made_of) {
  open();
  say("7", "Ann", "The password of my safe is HORNBEAM.", "HORNBEAM it is.");
  say("8", "Bob", "Mine is in the drawer.", "In the drawer, then.");
  const auto traces = engine_->memory(as("7")).group_traces();
  ASSERT_TRUE(traces.ok() && traces->size() == 1);
  EXPECT_EQ(traces->front().group_id, "42");
  EXPECT_EQ(traces->front().messages.size(), 2u) << "the answer quotes the message";
  ASSERT_TRUE(engine_->memory(as("7")).erase_in_groups().ok());
  drain();
  EXPECT_TRUE(engine_->memory(as("7")).group_traces()->empty());
  std::string left;
  const auto items = engine_->memory(in("42", "")).items(ItemKind::kMessage, 100).value();
  for (const Item& item : items) left += item.text;
  EXPECT_EQ(left.find("HORNBEAM"), std::string::npos) << left;
  EXPECT_NE(left.find("Mine is in the drawer."), std::string::npos) << left;
  EXPECT_NE(left.find("In the drawer, then."), std::string::npos) << left;
}

TEST_F(GroupMembers, PF_22_two_members_of_one_name_are_two_people) {
  struct Said {
    const char *name, *first, *second;
  };
  int run = 0;
  for (const Said& said : {Said{"小明", "我对花生过敏", "我住在成都"}, Said{"小明", "我住在成都", "我住在杭州"},
                           Said{"Ann", "I live in Bergen.", "I live in Tromso."},
                           Said{"Ann", "I am allergic to peanuts.", "I work as a nurse."}}) {
    engine_ = nullptr;
    config_.workspace = folder_ / std::to_string(++run);
    open();
    say("1004", said.name, said.first);
    say("1005", said.name, said.second);
    EXPECT_EQ(lines().size(), 2u) << told();
    EXPECT_TRUE(any_line(said.name, "1004")) << told();
    EXPECT_TRUE(any_line(said.name, "1005")) << told();
    std::set<std::string> senders;
    for (const Item& event : group_events()) {
      senders.insert(event.event->sender_id);
      EXPECT_NE(event.text.find(event.event->sender_id), std::string::npos) << event.text;
    }
    EXPECT_EQ(senders, (std::set<std::string>{"1004", "1005"}));
  }
}

TEST_F(GroupMembers, PF_22_only_who_moves_has_moved) {
  open();
  say("1004", "Ann", "I live in Bergen.");
  say("1005", "Ann", "I live in Tromso.");
  say("1005", "Ann", "I moved to Stavanger.");
  EXPECT_TRUE(any_line("1004", "Bergen")) << told();
  EXPECT_TRUE(any_line("1005", "Stavanger")) << told();
  EXPECT_EQ(told().find("Tromso"), std::string::npos) << told();
}

TEST_F(GroupMembers, PF_22_who_changes_the_nickname_stays_one_person) {
  open();
  say("1004", "Ann", "I live in Bergen.");
  say("1004", "Ann", "I work as a nurse.");
  say("1004", "Queen of the North", "I moved to Stavanger.");
  EXPECT_EQ(told().find("Bergen"), std::string::npos) << told();
  EXPECT_TRUE(any_line("Queen of the North", "Stavanger")) << told();
  EXPECT_TRUE(any_line("Queen of the North", "nurse")) << told();
  for (const Item& event : group_events()) EXPECT_EQ(event.event->sender_id, "1004");
}

TEST_F(GroupMembers, PF_22_nobody_corrects_what_another_said) {
  open();
  say("1004", "Ann", "My appointment is on Tuesday.");
  say("1005", "Bob", "No, I meant Thursday.");
  EXPECT_EQ(told().find("Thursday"), std::string::npos) << told();
}

TEST_F(GroupMembers, PF_22_a_nickname_does_not_open_anothers_profile) {
  config_.cognitive.speaker_profiles = true;
  config_.cognitive.gate = GateMode::kLiteral;
  open();
  observe({Message::user("I live in Bergen.")}, "own", "222");
  drain();
  const std::string before = file("users", "222");
  ASSERT_NE(before.find("Bergen"), std::string::npos);
  say("999", "222", "I moved to Stavanger.");
  (void)group_events();
  EXPECT_EQ(file("users", "222"), before);
  EXPECT_NE(file("users", "999").find("Stavanger"), std::string::npos);
}

TEST_F(GroupMembers, CM_7_nothing_private_is_written_of_who_is_not_known) {
  config_.cognitive.speaker_profiles = true;
  open();
  say("", "Ann", "I live in Bergen.");
  for (const Item& event : group_events()) EXPECT_EQ(event.event->sender_id, "");
  EXPECT_EQ(file("users", "Ann"), "");
  EXPECT_NE(told().find("Bergen"), std::string::npos);
}

TEST_F(GroupMembers, PF_22_other_speakers_of_one_call_are_not_the_caller) {
  open();
  const std::vector<Message> said{Message::user("I live in Bergen.", "Ann"), Message::assistant("Noted."),
                                  Message::user("I live in Tromso.", "Bob")};
  ASSERT_TRUE(engine_->session(in("42", "7"), SessionId("s")).observe(said).ok());
  const auto kept = engine_->session(in("42", "7"), SessionId("s")).history(10).value();
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_TRUE(kept[0].message.sender_id.empty());
  EXPECT_TRUE(kept[1].message.sender_id.empty());
  EXPECT_EQ(kept[2].message.sender_id, UserId("7"));
  // A history that is sent again tells nothing of who spoke before; what is known stays.
  std::vector<Message> again = said;
  again.push_back(Message::assistant("Noted."));
  again.push_back(Message::user("So do I.", "Bob"));
  ASSERT_TRUE(engine_->session(in("42", "8"), SessionId("s")).sync(again).ok());
  const auto after = engine_->session(in("42", "8"), SessionId("s")).history(10).value();
  ASSERT_EQ(after.size(), 5u);
  EXPECT_EQ(after[2].message.sender_id, UserId("7"));
  EXPECT_EQ(after[4].message.sender_id, UserId("8"));
}

TEST_F(GroupMembers, PF_22_a_message_that_names_its_sender_is_of_that_one) {
  open();
  std::vector<Message> said{Message::user("I live in Bergen.", "Ann"), Message::user("I live in Tromso.", "Ann"),
                            Message::user("I live in Alesund.", "Bob")};
  said[0].sender_id = UserId("1004");
  said[1].sender_id = UserId("1005");
  ASSERT_TRUE(engine_->session(in("42", "7"), SessionId("s")).observe(said).ok());
  const auto kept = engine_->session(in("42", "7"), SessionId("s")).history(10);
  ASSERT_EQ(kept->size(), 3u);
  EXPECT_EQ(kept->at(0).message.sender_id, UserId("1004"));
  EXPECT_EQ(kept->at(1).message.sender_id, UserId("1005"));
  EXPECT_EQ(kept->at(2).message.sender_id, UserId("7"));
  // In private nobody else speaks.
  ASSERT_TRUE(engine_->session(as("7"), SessionId("p")).observe(said).ok());
  const auto own = engine_->session(as("7"), SessionId("p")).history(10);
  for (const StoredMessage& one : *own) EXPECT_EQ(one.message.sender_id, UserId("7"));
}

TEST_F(GroupMembers, CM_6_an_end_of_a_turn_is_told_of_who_spoke) {
  config_.cognitive.speaker_profiles = true;
  open();
  say("1004", "Ann", "We have moved, as you know.");
  EndRequest end;
  end.new_info = "Ann lives in Bergen.";
  end.request_id = "r1";
  ASSERT_TRUE(engine_->session(in("42", "1005"), SessionId("s")).end(end).ok());
  drain();
  EXPECT_NE(file("users", "1004").find("Bergen"), std::string::npos);
  EXPECT_EQ(file("users", "1005"), "");
}

TEST_F(GroupMembers, PF_22_an_end_that_is_refused_leaves_the_task) {
  open();
  SessionTask task;
  task.state.description = "Find the spare key.";
  const auto session = engine_->session(as("ann"), SessionId("s"));
  ASSERT_TRUE(session.set_task(task).ok());
  EndRequest end;
  end.task_done = true;
  end.timezone = "Mars/Olympus";
  for (const char* summary : {"Looked for it.", ""}) {
    end.action_summary = summary;
    EXPECT_EQ(session.end(end).error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(session.task()->empty());
  }
}

TEST_F(GroupMembers, PF_5_the_number_of_an_erased_end_is_not_given_again) {
  open();
  say("1004", "Ann", "Which ferry goes north?");
  EndRequest end;
  end.action_summary = "Looked up the ferry of Tromso.";
  end.request_id = "r1";
  const auto session = engine_->session(in("42", "1004"), SessionId("s"));
  EXPECT_EQ(session.end(end)->event_id, "r1:1");
  drain();
  EraseRequest what;
  const auto said = session.history(10);
  for (const StoredMessage& one : *said) what.messages.push_back(one.message.id);
  const auto receipt = engine_->memory(in("42", "1004")).erase(what);
  ASSERT_TRUE(receipt.ok()) << receipt.error().message;
  open();
  end.action_summary = "Looked up the bus of Bergen.";
  EXPECT_EQ(engine_->session(in("42", "1004"), SessionId("s")).end(end)->event_id, "r1:2");
  drain();
  EXPECT_EQ(engine_->upkeep().verify_erasure(receipt->id)->found, 0u);
}

TEST_F(GroupMembers, PF_22_a_member_may_be_called_as_memory_calls_anybody) {
  open();
  say("1004", "the user", "I live in Bergen.");
  say("1005", "Bob", "I live in Tromso.");
  EXPECT_TRUE(any_line("user(1004)", "Bergen")) << told();
  EXPECT_TRUE(any_line("Bob", "Tromso")) << told();
  say("1006", "用户", "我住在成都");
  EXPECT_TRUE(any_line("用户（1006）", "成都")) << told();
}

}  // namespace
}  // namespace weft::test
