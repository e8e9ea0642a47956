// Compaction of random, recorded, odd and bad conversations.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "flow/compaction/compact.h"
#include "tests/support/compaction_talk.h"
#include "tests/support/shared_data.h"

namespace weft {
namespace {

using test::has, test::has_problem, test::input_of, test::kTokens, test::pairs_whole, test::run, test::Talk,
    test::text_of;

TEST(Compaction, AC_11_one_giant_turn_is_split_between_its_steps) {
  Talk talk;
  talk.user("Please repair /srv/app/main.cpp and keep at most 4 threads.");
  for (int i = 0; i < 150; ++i)
    talk.call("c" + std::to_string(i), R"({"path":"/srv/app/part)" + std::to_string(i) + R"(.cpp"})",
              std::string(400, 'a') + " line\n" + std::string(300, 'b'));
  talk.add(test::calls({{"last", "run_tests"}}));
  CompactInput input = input_of(talk);
  input.options.target_tokens = 4000;
  const auto result = run(input);
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->changed);
  EXPECT_TRUE(has_problem(*result, "compaction.turn_split"));
  EXPECT_LE(result->record.report.tokens_after, 4000);
  EXPECT_EQ(result->messages[1].content, talk.history[0].content);
  EXPECT_EQ(result->messages.back().id, talk.history.back().id);
  std::vector<Message> closed = result->messages;
  closed.pop_back();
  EXPECT_TRUE(pairs_whole(closed));
}

TEST(Compaction, AC_11_odd_histories_have_defined_results) {
  CompactInput empty;
  EXPECT_FALSE(run(empty)->changed);
  Talk orphan;
  orphan.add(test::output("nobody", "x")).add(test::assistant("hello /a/b/c.txt")).filler(12);
  EXPECT_TRUE(run(input_of(orphan))->changed);
  Talk silent;
  for (int i = 0; i < 40; ++i) silent.call("c" + std::to_string(i), "{", "\xff\xfe broken " + std::string(200, 'q'));
  CompactInput no_user = input_of(silent);
  no_user.options.target_tokens = 500;
  const auto result = run(no_user);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(pairs_whole(result->messages));
  CompactInput no_id = input_of(silent);
  no_id.history[3].id = MessageId();
  EXPECT_EQ(run(no_id).error().code, ErrorCode::kInvalidArgument);
}

// Random conversations in both languages with rules, ids and paths at random places.
Talk random_talk(std::uint32_t seed, std::vector<std::string>& must) {
  std::mt19937 random(seed);
  const auto pick = [&random](std::initializer_list<const char*> of) {
    return std::string(of.begin()[random() % of.size()]);
  };
  Talk talk;
  const std::size_t turns = 14 + random() % 20;
  for (std::size_t t = 0; t < turns; ++t) {
    const std::string number = std::to_string(1000 + random() % 9000);
    std::string said =
        pick({"Tell me about the garden and its many old trees.", "介绍一下这座城市的历史和建筑。", "ok", "好的"});
    if (random() % 7 == 0) {
      const std::string rule = pick({"Never spend more than ", "You must stay below "}) + number + " euros.";
      must.push_back(rule);
      said += " " + rule;
    } else if (random() % 7 == 0) {
      const std::string rule = "金额不能超过 " + number + " 元。";
      must.push_back(number);
      said += rule;
    }
    talk.user(said);
    const std::size_t calls = random() % 3;
    for (std::size_t c = 0; c < calls; ++c) {
      const std::string path = "/data/set" + number + "/file_" + std::to_string(c) + ".csv";
      must.push_back(path);
      talk.call("c" + std::to_string(t) + "_" + std::to_string(c), R"({"path":")" + path + R"("})",
                random() % 3 == 0 ? "Error: disk full" : std::string(100 + random() % 800, 'z'));
    }
    talk.assistant(
        pick({"There are many trees, and people like to walk below them in the long evenings of summer, which "
              "is why the benches are never empty and the paths are wide.",
              "这座城市有很多古老的建筑，人们喜欢在傍晚散步，河边的长椅总是坐满了人，街道宽阔而安静。"}));
  }
  return talk;
}

TEST(Compaction, AC_11_holds_for_random_conversations) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::vector<std::string> must;
    const Talk talk = random_talk(seed, must);
    CompactInput input = input_of(talk);
    input.options.most_share = 0.6;
    const auto result = run(input);
    ASSERT_TRUE(result.ok());
    ASSERT_TRUE(result->changed) << seed;
    EXPECT_LT(result->record.report.tokens_after, result->record.report.tokens_before);
    EXPECT_TRUE(pairs_whole(result->messages)) << seed;
    for (const std::string& what : must) EXPECT_TRUE(has(*result, what)) << seed << " " << what;
    const auto again = run(input);
    EXPECT_EQ(text_of(again->messages), text_of(result->messages));
    for (std::size_t i = 1; i < result->messages.size(); ++i)
      EXPECT_EQ(result->messages[result->messages.size() - i].content, talk.history[talk.history.size() - i].content);
  }
}

TEST(Compaction, AC_11_holds_for_recorded_traces) {
  const std::filesystem::path folder = test::shared_data("traces");
  if (folder.empty()) GTEST_SKIP() << "no development data; set WEFT_SHARED to its folder";
  for (const char* name : {"swesmith.jsonl", "openhands.jsonl"}) {
    std::ifstream file(folder / name);
    for (std::string line; std::getline(file, line);) {
      const auto messages = parse_messages(line);
      ASSERT_TRUE(messages.ok());
      Talk talk;
      for (const Message& message : *messages) talk.add(message);
      CompactInput input = input_of(talk);
      std::int64_t tokens = 0;
      for (const Message& message : *messages)
        tokens += message.role == Role::kSystem ? 0 : kTokens.count(text_of({message}));
      input.options.target_tokens = tokens / 5;
      const auto result = run(input);
      ASSERT_TRUE(result.ok());
      EXPECT_LE(result->record.report.tokens_after, result->record.report.tokens_before);
      EXPECT_EQ(pairs_whole(result->messages), pairs_whole(talk.history));
      const auto last = std::find_if(talk.history.rbegin(), talk.history.rend(),
                                     [](const Message& message) { return message.role == Role::kUser; });
      EXPECT_TRUE(last == talk.history.rend() || has(*result, last->content));
    }
  }
}

TEST(Compaction, AC_11_bad_text_takes_linear_time) {
  for (const std::string& piece : {std::string("/a"), std::string("不要"), std::string("must 1 "), std::string("\xff"),
                                   std::string("a_"), std::string("["), std::string("\n- ")}) {
    std::string text;
    while (text.size() < 300'000) text += piece;
    Talk talk;
    talk.user(text).call("c", text, text).assistant(text).filler(9);
    const auto result = run(input_of(talk));
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(result->changed);
  }
}

}  // namespace
}  // namespace weft
