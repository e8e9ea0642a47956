#include <chrono>
#include <thread>

#include "engine/streams.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

using namespace weft::test;

class EngineIdle : public EngineTest {};

TEST_F(EngineIdle, ST_9_words_that_nobody_answers_are_flushed_when_idle_also_after_a_restart) {
  open();
  observe({test::user("the ferry leaves from pier nine")});
  engine_->check_idle();
  drain();
  EXPECT_TRUE(items(ItemKind::kEvent).empty());
  open();
  clock_.advance_minutes(20);
  engine_->check_idle();
  drain();
  const auto events = items(ItemKind::kEvent);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NE(events[0].text.find("pier nine"), std::string::npos);
  EXPECT_EQ(events[0].text.find("no answer"), std::string::npos) << events[0].text;
}

// The thread that closes it runs as soon as the engine opens, and wakes the others.
TEST_F(EngineIdle, ST_9_what_is_overdue_at_the_opening_is_closed_by_itself) {
  for (std::size_t i = 1; i <= 8; ++i) {
    open();
    observe({test::user("the ferry leaves from pier " + std::to_string(i)), assistant("It does.")});
    clock_.advance_minutes(20);
    open();
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (items(ItemKind::kEvent).size() < i && std::chrono::steady_clock::now() < patience)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(items(ItemKind::kEvent).size(), i);
  }
}

TEST_F(EngineIdle, ST_9_an_answer_that_comes_late_is_still_taken) {
  open();
  observe({test::user("the ferry leaves from pier nine")});
  clock_.advance_minutes(20);
  engine_->check_idle();
  const auto late = observe({assistant("It does.")});
  EXPECT_EQ(late.observations.size(), 1u);
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  drain();
  EXPECT_TRUE(finds("does", "It does."));
}

LogicalBlock block_of(const std::string& question, const std::string& answer) {
  LogicalBlock block;
  block.user_block = test::user(question);
  block.response_block = assistant(answer);
  return block;
}

TEST(LeadMaker, ST_11_a_models_summary_leads_where_it_is_ready_and_invents_nothing) {
  Config config;
  ScriptedChat chat;
  chat.say("Ann builds a snake game; walls do not end it yet.");
  chat.say("Ann has 4711 snakes.");
  chat.fail(unavailable("away"));
  LeadMaker leads(config, &chat);
  std::vector<LogicalBlock> blocks{block_of("Write a snake game", "Done, but the snake passes through walls.")};
  const TopicId first("t1"), second("t2"), third("t3");
  EXPECT_FALSE(leads.take(first, blocks, 200));
  for (const TopicId& topic : {first, second, third}) {
    EXPECT_TRUE(leads.prepare(topic, blocks, ""));
    EXPECT_FALSE(leads.prepare(topic, blocks, "")) << "asked once";
  }
  leads.work({});
  blocks.push_back(block_of("Now add sound", "Added a beep."));
  const auto lead = leads.take(first, blocks, 200);
  ASSERT_TRUE(lead);
  EXPECT_TRUE(lead->starts_with("Ann builds a snake game")) << *lead;
  EXPECT_NE(lead->find("sound"), std::string::npos) << *lead;
  EXPECT_FALSE(leads.take(first, blocks, 200)) << "taken once";
  EXPECT_FALSE(leads.take(second, blocks, 200)) << "a number that nobody said";
  EXPECT_FALSE(leads.take(third, blocks, 200));
}

TEST_F(EngineIdle, ST_11_a_relay_waits_for_no_model) {
  auto chat = std::make_unique<ScriptedChat>();
  chat->always([](const ChatRequest&) -> Result<ChatReply> { return unavailable("away"); });
  historian_ = std::move(chat);
  config_.stream.max_processing_tokens = 120;
  config_.stream.threshold = 0;
  open();
  std::string filler;
  for (int i = 0; i < 20; ++i) filler += "The class SnakeGame moves the snake. ";
  turn("Write the class SnakeGame", filler);
  const auto relayed = turn("The SnakeGame ends too early", "I will look at it.");
  ASSERT_EQ(relayed.flushed.size(), 1u);
  EXPECT_EQ(relayed.flushed[0].reason, FlushReason::kRelay);
}

}  // namespace
}  // namespace weft
