#include <gtest/gtest.h>

#include <random>
#include <set>

#include "flow/stream/session_state.h"
#include "tests/support/messages.h"

namespace weft {
namespace {

using test::assistant, test::calls, test::output, test::system, test::thought, test::user;

// Feeds messages with running ids, and keeps what closed.
class Feed {
 public:
  ParseStep operator()(Message message) {
    ++count_;
    if (message.id.empty()) message.id = MessageId("m" + std::to_string(count_));
    message.time = Time{count_ * 1000, 0};
    ParseStep step = parser.feed(message, 10, BlockId("b" + std::to_string(count_)));
    closed.insert(closed.end(), step.closed.begin(), step.closed.end());
    return step;
  }

  StreamParser parser;
  std::vector<LogicalBlock> closed;

 private:
  std::int64_t count_ = 0;
};

TEST(StreamParser, CM_10_a_block_names_the_speaker_beside_the_text_once) {
  Feed feed;
  feed(Message::user("Ann: Where is the tent?", "Ann"));
  feed(assistant("In the car."));
  feed(Message::user("Ann: Where is the stove?", "Bob"));
  feed(assistant("At home."));
  ASSERT_EQ(feed.closed.size(), 2u);
  EXPECT_EQ(feed.closed[0].user_block->content, "Where is the tent?");
  EXPECT_EQ(feed.closed[0].anchor_text, "Where is the tent?");
  EXPECT_EQ(feed.closed[1].user_block->content, "Ann: Where is the stove?");
}

TEST(StreamParser, ST_2_a_sealed_block_has_query_chain_response_tokens_time_and_anchor) {
  Feed feed;
  feed(user("What is the weather in Oslo?"));
  feed(calls({{"c1", "weather"}}, "I will look it up."));
  feed(output("c1", "rain"));
  feed(assistant("It rains."));
  ASSERT_EQ(feed.closed.size(), 1u);
  const LogicalBlock& block = feed.closed[0];
  EXPECT_EQ(block.user_block->content, "What is the weather in Oslo?");
  EXPECT_EQ(block.anchor_text, "What is the weather in Oslo?");
  ASSERT_EQ(block.execution_chain.size(), 1u);
  EXPECT_EQ(block.execution_chain[0].thought, "I will look it up.");
  EXPECT_EQ(block.execution_chain[0].call->name, "weather");
  EXPECT_EQ(block.execution_chain[0].observation->content, "rain");
  EXPECT_EQ(block.response_block->content, "It rains.");
  EXPECT_EQ(block.total_tokens, 40);
  EXPECT_EQ(block.timestamp.ms, 1000);
  EXPECT_EQ(block.last_time.ms, 4000);
  EXPECT_TRUE(block.is_complete());
  EXPECT_EQ(block.status, BlockStatus::kSealed);
}

TEST(StreamParser, ST_3_a_user_message_opens_and_an_answer_without_calls_seals) {
  Feed feed;
  EXPECT_FALSE(feed.parser.processing());
  EXPECT_EQ(feed(user("q")).action, "opened");
  EXPECT_TRUE(feed.parser.processing());
  EXPECT_EQ(feed(thought("hm")).action, "staged");
  EXPECT_EQ(feed(calls({{"c1", "find"}})).action, "staged");
  EXPECT_EQ(feed(output("c1", "x")).action, "observed");
  EXPECT_TRUE(feed.parser.processing());
  EXPECT_EQ(feed(assistant("a")).action, "sealed");
  EXPECT_FALSE(feed.parser.processing());
}

TEST(StreamParser, ST_4_a_thought_without_a_call_waits_and_joins_the_call_that_follows) {
  Feed feed;
  feed(user("q"));
  feed(thought("first I look"));
  ASSERT_EQ(feed.parser.open()->execution_chain.size(), 1u);
  EXPECT_FALSE(feed.parser.open()->execution_chain[0].call);
  EXPECT_TRUE(feed.closed.empty());
  feed(calls({{"c1", "look"}}));
  ASSERT_EQ(feed.parser.open()->execution_chain.size(), 1u);
  EXPECT_EQ(feed.parser.open()->execution_chain[0].thought, "first I look");
  EXPECT_EQ(feed.parser.open()->execution_chain[0].call->name, "look");
}

TEST(StreamParser, ST_4_outputs_match_by_id) {
  Feed feed;
  feed(user("q"));
  feed(calls({{"a", "one"}, {"b", "two"}, {"c", "three"}}));
  feed(output("c", "out c"));
  feed(output("a", "out a"));
  feed(output("b", "out b"));
  const auto& chain = feed.parser.open()->execution_chain;
  ASSERT_EQ(chain.size(), 3u);
  EXPECT_EQ(chain[0].observation->content, "out a");
  EXPECT_EQ(chain[1].observation->content, "out b");
  EXPECT_EQ(chain[2].observation->content, "out c");
}

TEST(StreamParser, ST_4_an_answer_before_the_last_output_waits_for_it) {
  Feed feed;
  feed(user("q"));
  feed(calls({{"a", "slow"}}));
  EXPECT_EQ(feed(assistant("done")).action, "staged");
  EXPECT_TRUE(feed.closed.empty());
  feed(output("a", "late"));
  ASSERT_EQ(feed.closed.size(), 1u);
  EXPECT_TRUE(feed.closed[0].is_complete());
  EXPECT_EQ(feed.closed[0].execution_chain[0].observation->content, "late");
}

TEST(StreamParser, ST_5_a_call_id_used_twice_takes_its_outputs_in_order) {
  Feed feed;
  feed(user("q"));
  feed(calls({{"x", "one"}}));
  feed(output("x", "first"));
  feed(calls({{"x", "two"}}));
  feed(output("x", "second"));
  const auto& chain = feed.parser.open()->execution_chain;
  ASSERT_EQ(chain.size(), 2u);
  EXPECT_EQ(chain[0].observation->content, "first");
  EXPECT_EQ(chain[1].observation->content, "second");
}

TEST(StreamParser, ST_5_an_interruption_keeps_what_the_block_holds_and_opens_the_next) {
  Feed feed;
  feed(user("build it"));
  feed(calls({{"a", "build"}}));
  const ParseStep step = feed(user("stop, do that instead"));
  ASSERT_EQ(step.closed.size(), 1u);
  EXPECT_EQ(step.closed[0].status, BlockStatus::kInterrupted);
  EXPECT_EQ(step.closed[0].execution_chain.size(), 1u);
  EXPECT_FALSE(step.closed[0].is_complete());
  EXPECT_EQ(feed.parser.open()->anchor_text, "stop, do that instead");
}

TEST(StreamParser, ST_5_an_output_before_its_call_meets_the_call) {
  Feed feed;
  feed(user("q"));
  EXPECT_FALSE(feed(output("a", "early")).notes.empty());
  feed(calls({{"a", "tool"}}));
  ASSERT_EQ(feed.parser.open()->execution_chain.size(), 1u);
  EXPECT_EQ(feed.parser.open()->execution_chain[0].call->name, "tool");
  EXPECT_EQ(feed.parser.open()->execution_chain[0].observation->content, "early");
}

TEST(StreamParser, ST_5_messages_without_a_user_are_kept_in_a_block) {
  Feed feed;
  EXPECT_FALSE(feed(assistant("Hello, I am here.")).notes.empty());
  ASSERT_EQ(feed.closed.size(), 1u);
  EXPECT_FALSE(feed.closed[0].is_complete());
  feed(output("nobody", "orphan"));
  EXPECT_TRUE(feed.parser.processing());
  feed(user("q"));
  ASSERT_EQ(feed.closed.size(), 2u);
  EXPECT_EQ(feed.closed[1].execution_chain[0].observation->content, "orphan");
}

TEST(StreamParser, ST_5_system_messages_belong_to_no_block) {
  Feed feed;
  EXPECT_EQ(feed(system("Be kind.")).action, "system");
  feed(user("q"));
  feed(system("Be short."));
  feed(assistant("a"));
  ASSERT_EQ(feed.closed.size(), 1u);
  EXPECT_EQ(feed.closed[0].sources.size(), 2u);
}

// Whatever comes in whatever order: every message but the system's is in exactly one block, once, in order.
TEST(StreamParser, ST_5_random_streams_lose_and_double_nothing) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Feed feed;
    std::vector<std::string> sent;
    for (int i = 1; i <= 60; ++i) {
      const std::string call = "c" + std::to_string(random() % 6);
      Message message;
      switch (random() % 7) {
        case 0: message = user("u"); break;
        case 1: message = assistant("a"); break;
        case 2: message = thought("t"); break;
        case 3: message = calls({{call, "x"}, {call + "b", "y"}}); break;
        case 4: message = output(call, "o"); break;
        case 5: message = output(call + "b", "o"); break;
        default: message = system("s"); break;
      }
      if (message.role != Role::kSystem) sent.push_back("m" + std::to_string(i));
      feed(std::move(message));
    }
    if (auto rest = feed.parser.close()) feed.closed.push_back(std::move(*rest));
    std::vector<std::string> kept;
    for (const LogicalBlock& block : feed.closed) {
      for (const MessageId& id : block.sources) kept.push_back(id.str());
    }
    EXPECT_EQ(kept, sent) << "seed " << seed;
  }
}

TEST(StreamParser, ST_3_chains_of_hundreds_of_steps_are_one_block) {
  Feed feed;
  feed(user("a long task"));
  for (int i = 0; i < 500; ++i) {
    feed(calls({{"c" + std::to_string(i), "step"}}));
    feed(output("c" + std::to_string(i), "done"));
  }
  feed(assistant("finished"));
  ASSERT_EQ(feed.closed.size(), 1u);
  EXPECT_EQ(feed.closed[0].execution_chain.size(), 500u);
  EXPECT_EQ(feed.closed[0].sources.size(), 1002u);
}

}  // namespace
}  // namespace weft
