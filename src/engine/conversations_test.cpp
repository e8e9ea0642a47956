// Which conversation a history without a session belongs to.
#include <map>
#include <random>
#include <set>

#include "tests/support/engine_fixture.h"

namespace weft {
namespace {

using namespace weft::test;

class ConversationsTest : public EngineTest {
 protected:
  /// As the proxy takes a call in. Gives the session.
  SessionId call(const std::vector<Message>& history, const std::string& who = "ann",
                 std::span<const SessionId> busy = {}) {
    auto session = engine_->memory(as(who)).session_of(history, busy);
    EXPECT_TRUE(session.ok());
    EXPECT_TRUE(engine_->session(as(who), *session).sync(history).ok());
    return *session;
  }
  SessionId say(std::vector<Message>& history, const std::string& text, const std::string& reply,
                const std::string& who = "ann") {
    history.push_back(user(text));
    const SessionId session = call(history, who);
    history.push_back(assistant(reply));
    EXPECT_TRUE(engine_->session(as(who), session).observe(std::span(&history.back(), 1)).ok());
    return session;
  }
  std::set<std::string> kept(const std::string& who) {
    std::set<std::string> out;
    for (const SessionId& session : seen_) {
      const auto all = engine_->session(as(who), session).history(100'000);
      EXPECT_TRUE(all.ok());
      for (const auto& one : *all) out.insert(one.message.content);
    }
    return out;
  }
  std::vector<std::string> kept_of(const SessionId& session) {
    std::vector<std::string> out;
    const auto all = engine_->session(as("ann"), session).history(100'000);
    EXPECT_TRUE(all.ok());
    for (const auto& one : *all) out.push_back(one.message.content);
    return out;
  }
  std::set<SessionId> seen_;
};

TEST_F(ConversationsTest, PF_12_chats_that_begin_alike_are_several) {
  open();
  std::vector<Message> first, second;
  const SessionId one = say(first, "Hi", "Hello!");
  const SessionId two = say(second, "Hi", "Hello!");
  EXPECT_NE(one, two);
  const SessionId a = say(first, "the cat is red", "ok");
  open();
  const SessionId b = say(second, "the cat is blue", "ok");
  EXPECT_EQ((std::set{a, b}), (std::set{one, two}));
  EXPECT_EQ(say(first, "and green", "ok"), a);
  EXPECT_EQ(say(second, "and grey", "ok"), b);
}

TEST_F(ConversationsTest, PF_12_the_same_opening_asks_again_for_a_while) {
  open();
  std::vector<Message> first = {user("Suggest a name for my new boat.")};
  const SessionId one = call(first);
  ASSERT_TRUE(engine_->session(as("ann"), one).observe(std::vector{assistant("Luna")}).ok());
  EXPECT_EQ(call(first), one);
  ASSERT_TRUE(engine_->session(as("ann"), one).observe(std::vector{assistant("Stella")}).ok());
  EXPECT_EQ(kept_of(one), (std::vector<std::string>{"Suggest a name for my new boat.", "Stella"}));
}

TEST_F(ConversationsTest, PF_12_a_session_that_is_being_answered_is_nobody_elses) {
  open();
  const std::vector<Message> opening = {user("Hi")};
  const SessionId one = call(opening);
  EXPECT_NE(call(opening, "ann", std::vector{one}), one);
  EXPECT_EQ(call(opening, "ann"), call(opening, "ann"));
}

TEST_F(ConversationsTest, PF_12_the_newest_turn_moves_and_an_earlier_one_branches) {
  open();
  std::vector<Message> history;
  const SessionId session = say(history, "my boat is called Luna", "fine");
  for (int i = 0; i < 4; ++i) say(history, "fact " + std::to_string(i), "noted " + std::to_string(i));
  std::vector<Message> edited(history.begin(), history.end() - 2);
  EXPECT_EQ(say(edited, "another fact", "noted"), session);
  std::vector<Message> early(history.begin(), history.begin() + 4);
  const SessionId branch = say(early, "a branch", "noted");
  EXPECT_NE(branch, session);
  EXPECT_EQ(kept_of(session).size(), history.size());
  EXPECT_EQ(say(early, "goes on", "noted"), branch);
}

TEST_F(ConversationsTest, PF_12_random_chats_take_nothing_back_from_each_other) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    config_.workspace = folder_ / ("ws" + std::to_string(seed));
    open();
    struct Chat {
      std::vector<Message> history;
      std::string who;
    };
    const std::vector<std::string> openings = {"Hi", "你好", "Let us plan the long trip.", "Hello there!"};
    std::vector<Chat> chats;
    for (int i = 0; i < 8; ++i) chats.push_back({{}, i % 2 == 0 ? "ann" : "bob"});
    std::map<std::string, std::set<SessionId>> sessions;
    int number = 0;
    for (int step = 0; step < 90; ++step) {
      if (step == 45) open();
      const std::size_t at = below(chats.size());
      Chat chat = chats[at];
      const std::size_t kind = below(10);
      std::string text =
          chat.history.empty() ? openings[below(openings.size())] : "the secret number is n" + std::to_string(++number);
      if (chat.history.size() > 6 && kind == 0) {  // a branch from early on, as a chat of its own
        Chat branch{{chat.history.begin(), chat.history.begin() + 2}, chat.who};
        sessions[chat.who].insert(say(branch.history, text, "noted", chat.who));
        chats.push_back(branch);
        continue;
      }
      if (chat.history.size() > 2 && kind == 1) {  // another answer to the newest question
        chat.history.pop_back();
        text = chat.history.back().content;
        chat.history.pop_back();
      }
      const std::string reply = kind < 6 ? "noted" : "noted " + std::to_string(step);
      sessions[chat.who].insert(say(chat.history, text, reply, chat.who));
      chats[at] = chat;
    }
    for (const std::string who : {"ann", "bob"}) {
      seen_ = sessions[who];
      const auto all = kept(who);
      for (const Chat& chat : chats) {
        for (const Message& message : chat.history) {
          if (message.role != Role::kUser || message.content.find("secret") == std::string::npos) continue;
          EXPECT_EQ(all.contains(message.content), chat.who == who) << "seed " << seed << ": " << message.content;
        }
      }
    }
  }
}

TEST_F(ConversationsTest, PF_12_an_edited_opening_of_a_named_session_takes_back_what_it_replaces) {
  open();
  const SessionId named("mine");
  const auto sync = [&](std::vector<Message> history) {
    EXPECT_TRUE(engine_->session(as("ann"), named).sync(history).ok());
  };
  sync({user("I live in Rome.")});
  ASSERT_TRUE(engine_->session(as("ann"), named).observe(std::vector{assistant("fine")}).ok());
  sync({user("I live in Madrid.")});
  EXPECT_EQ(kept_of(named), (std::vector<std::string>{"I live in Madrid."}));
  ASSERT_TRUE(engine_->session(as("ann"), named).observe(std::vector{assistant("good")}).ok());
  sync({user("I live in Madrid."), assistant("good"), user("And where to eat?")});
  open();
  sync({user("I live in Lisbon.")});
  EXPECT_EQ(kept_of(named), (std::vector<std::string>{"I live in Lisbon."}));
  sync({user("Tell me a joke about cats and dogs.")});  // a chat that is begun anew under the same name
  EXPECT_EQ(kept_of(named).size(), 2U);
}

TEST_F(ConversationsTest, PF_12_a_client_that_sends_only_what_is_new_loses_nothing) {
  open();
  const SessionId named("mine");
  for (const auto* text : {"My dog is called Rex", "The train was late", "你好，今天下雨", "What now?"})
    ASSERT_TRUE(engine_->session(as("ann"), named).sync(std::vector{user(text)}).ok());
  EXPECT_EQ(kept_of(named).size(), 4U);
}

}  // namespace
}  // namespace weft
