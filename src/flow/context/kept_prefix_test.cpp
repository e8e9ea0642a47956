// What stands where in a prompt that grows from turn to turn, and which blocks stay.
#include <gtest/gtest.h>

#include "tests/support/sections_fixture.h"

namespace weft {
namespace {

using test::assistant, test::calls, test::hit, test::output, test::Sections, test::user, test::trip;

TEST_F(Sections, HC_10_blocks_stand_where_they_ask_to_and_never_between_call_and_output) {
  add(user("one"));
  add(calls({{"c1", "look"}}));
  add(output("c1", "seen"));
  add(assistant("two"));
  add(user("three"));
  const auto block = [](const char* id, BlockPlace place, std::int64_t depth, std::int64_t priority) {
    return FloatingBlock{id, id, Role::kSystem, "lore", place, depth, priority};
  };
  blocks_ = {block("end", BlockPlace::kSystemEnd, 0, 10),      block("top", BlockPlace::kHistoryTop, 0, 10),
             block("deep", BlockPlace::kHistoryBottom, 2, 10), block("last", BlockPlace::kHistoryBottom, 0, 10),
             block("low", BlockPlace::kBeforeInput, 0, 1),     block("high", BlockPlace::kBeforeInput, 0, 20)};
  const auto said = [this] {
    std::vector<std::string> texts;
    for (const Message& message : build().woven.messages) texts.push_back(message.content);
    return texts;
  };
  // A model that takes one system message has what stands still in it, and what moves before what the user says next.
  EXPECT_EQ(said(), (std::vector<std::string>{"You are kind.\n\nend\n\ntop", "one", "", "seen", "two",
                                              "deep\n\nlast\n\nlow\n\nhigh\n\nthree"}));
  input_.several_system_messages = true;
  EXPECT_EQ(said(), (std::vector<std::string>{"You are kind.", "end", "top", "one", "deep", "", "seen", "two", "last",
                                              "low", "high", "three"}));
}

TEST_F(Sections, AC_10_while_tools_are_at_work_the_prompt_only_grows_before_the_task) {
  turns(3);
  add(user("find the bug"));
  input_.task = trip();
  const BuiltContext before = build();
  add(calls({{"c1", "look"}}));
  add(output("c1", "seen"));
  input_.kept_memory = before.memory;
  const BuiltContext second = build();
  add(calls({{"c2", "look"}}));
  add(output("c2", "seen again"));
  input_.task.current = "another step";
  const BuiltContext third = build();
  ASSERT_EQ(second.placed.back().section, "task");
  for (std::size_t i = 0; i + 1 < second.woven.messages.size(); ++i)
    EXPECT_EQ(second.woven.messages[i].content, third.woven.messages[i].content) << i;
}

TEST_F(Sections, AC_10_memory_blocks_of_earlier_turns_stay_where_they_stood_and_are_not_repeated) {
  hits_ = {hit("m1", "Ann keeps bees", 0.9)};
  hits_[0].item.sources.clear();  // as lore has none: known by its id alone
  add(user("what do I keep?"));
  const BuiltContext first = build();
  ASSERT_EQ(first.memory.items, std::vector<std::string>{"m1"});
  add(assistant("bees"));
  hits_.push_back(hit("m2", "Ann sells honey in May", 0.8));
  hits_.push_back(hit("m3", "Ann sells honey, said in other words", 0.7));
  hits_.back().item.sources = hits_[1].item.sources;
  add(user("and what do I sell?"));
  input_.earlier_memories[0] = first.memory;
  const BuiltContext second = build();
  EXPECT_EQ(second.earlier_memories, std::set<std::size_t>{0});
  EXPECT_EQ(second.memory.items, std::vector<std::string>{"m2"});
  for (std::size_t i = 0; i < first.woven.messages.size(); ++i)
    EXPECT_EQ(second.woven.messages[i].content, first.woven.messages[i].content) << i;
  EXPECT_EQ(text_of(second, "memory").find("bees"), text_of(second, "memory").rfind("bees"));

  input_.layout = PromptLayout::kSpec;
  const BuiltContext literal = build();
  EXPECT_TRUE(literal.earlier_memories.empty());
  EXPECT_EQ(literal.memory.items, (std::vector<std::string>{"m1", "m2"}));
}

TEST_F(Sections, AC_10_when_earlier_blocks_are_too_large_half_of_them_goes_at_once) {
  config_.context.kept_memory_share = 0.15;
  const std::string text(4 * 1024, 'w');
  for (std::size_t turn = 0; turn < 12; ++turn) {
    add(user("question " + std::to_string(turn)));
    input_.earlier_memories[input_.history.size() - 1] = {text + std::to_string(turn), {}, {}};
    add(assistant("answer"));
  }
  add(user("now"));
  const BuiltContext built = build();
  const std::int64_t ceiling = section(built, "earlier memories")->budget;
  EXPECT_LE(section(built, "earlier memories")->tokens, ceiling / 2);
  ASSERT_FALSE(built.earlier_memories.empty());
  EXPECT_EQ(*built.earlier_memories.rbegin(), 22U);  // the newest stay
  EXPECT_LT(built.earlier_memories.size(), 12U);
}

TEST_F(Sections, AC_9_memory_blocks_of_earlier_turns_go_before_anything_that_was_said) {
  input_.window = 4096;
  config_.context.memory_share = 1;  // not the ceiling lets it go, but the room
  add(user("question"));
  input_.earlier_memories[0] = {std::string(1200, 'w'), {}, {}};
  add(assistant(std::string(1200, 'a')));
  add(user(std::string(900, 'i')));
  const BuiltContext built = build();
  EXPECT_LE(built.woven.report.tokens, built.woven.report.usable);
  EXPECT_NE(text_of(built, "history").find("question"), std::string::npos);
  EXPECT_NE(text_of(built, "history").find("aaa"), std::string::npos);
  EXPECT_NE(text_of(built, "input").find("iii"), std::string::npos);
  EXPECT_TRUE(built.earlier_memories.empty());
  input_.window = 32768;
  EXPECT_EQ(build().earlier_memories, std::set<std::size_t>{0});
}

}  // namespace
}  // namespace weft
