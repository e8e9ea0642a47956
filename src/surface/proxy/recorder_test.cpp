#include "surface/proxy/recorder.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "tests/support/few_threads.h"
#include "tests/support/messages.h"
#include "tests/support/test_engine.h"

namespace weft::proxy {
namespace {

/// A recorder whose engine takes nothing until it is let.
class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    engine_.before_messages([this] { open_.wait(); });
  }
  ~RecorderTest() override { let(); }
  void let() {
    if (!let_) gate_.set_value();
    let_ = true;
  }
  static Deadline now() { return Deadline::after(std::chrono::milliseconds(0)); }
  bool is_free(const Recorder::Conversation& conversation, const char* user = "ann") {
    return recorder_.wait_for(scope(user), conversation, now());
  }
  static Scope scope(const char* user = "ann") { return *Scope::private_of(UserId(user)); }
  /// "Hi, NAME?" and its answer wait in the session of this name.
  void answer(const std::string& name) {
    recorder_.observe_later({scope(), {}, {}}, SessionId(name), Message::assistant("Hello, " + name),
                            Recorder::opening_of(asked(name)));
  }
  static std::vector<Message> asked(const std::string& name) {
    return {test::system("Be kind."), Message::user("Hi, " + name + "?")};
  }
  static std::vector<Message> gone_on(const std::string& name) {
    auto history = asked(name);
    history.push_back(Message::assistant("Hello, " + name));
    history.push_back(Message::user("And then?"));
    return history;
  }

  std::promise<void> gate_;
  std::shared_future<void> open_ = gate_.get_future().share();
  bool let_ = false;
  TestEngine engine_;
  Recorder recorder_{engine_};
};

TEST_F(RecorderTest, PF_21_a_call_waits_for_its_own_conversation_alone_and_not_for_ever) {
  answer("one");
  answer("two");
  EXPECT_FALSE(is_free({.history = gone_on("one")}));
  EXPECT_FALSE(is_free({.session = SessionId("two")}));
  EXPECT_FALSE(is_free({.history = asked("two")})) << "the same question again: its answer is to be replaced";
  EXPECT_TRUE(is_free({.history = gone_on("three")}));
  EXPECT_TRUE(is_free({.session = SessionId("three"), .history = gone_on("one")}));
  EXPECT_TRUE(is_free({.history = gone_on("one")}, "bob"));
  let();
  EXPECT_TRUE(recorder_.wait_for(scope(), {.session = SessionId("two")}, Deadline()));
  EXPECT_EQ(engine_.said(scope(), "two"), std::vector<std::string>{"assistant: Hello, two"});
}

TEST_F(RecorderTest, PF_21_a_history_that_has_lost_its_beginning_is_known_by_its_answer) {
  answer("one");
  auto history = gone_on("one");
  history.erase(history.begin(), history.begin() + 2);
  EXPECT_FALSE(is_free({.history = history}));
}

TEST_F(RecorderTest, PF_21_a_call_that_goes_on_from_a_message_waits_for_it) {
  Message reply = Message::assistant("Hello");
  reply.id = MessageId("resp_1");
  recorder_.observe_later({scope(), {}, {}}, SessionId("s"), reply, 0);
  EXPECT_FALSE(is_free({.previous = MessageId("resp_1")}));
  EXPECT_TRUE(is_free({.previous = MessageId("resp_2")}));
}

TEST_F(RecorderTest, PF_21_what_comes_with_the_history_is_not_handed_over_a_second_time) {
  answer("zero");  // at the engine, and held up there
  answer("one");
  answer("two");
  EXPECT_FALSE(is_free({.history = gone_on("one")}));
  EXPECT_TRUE(is_free({.history = gone_on("one")})) << "it does not wait any more";
  let();
  EXPECT_TRUE(recorder_.wait_for(scope(), {.session = SessionId("two")}, Deadline()));
  EXPECT_TRUE(engine_.said(scope(), "one").empty());
  EXPECT_EQ(engine_.said(scope(), "zero").size(), 1U);
}

TEST_F(RecorderTest, PF_21_without_a_thread_answers_are_kept_by_whoever_brings_them) {
  FewThreads none(0);
  let();
  Recorder alone(engine_);
  alone.observe_later({scope(), {}, {}}, SessionId("alone"), Message::assistant("Hello"), 0);
  EXPECT_EQ(engine_.said(scope(), "alone").size(), 1U);
  EXPECT_TRUE(alone.wait_for(scope(), {.session = SessionId("alone")}, now()));
}

}  // namespace
}  // namespace weft::proxy
