// Signals of the balanced recipe: what brings an item forward, and how they add up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "flow/recall/fusion.h"
#include "tests/support/recall_fixture.h"

namespace weft {
namespace {

using test::Recall;

TEST_F(Recall, MS_5_an_answer_is_found_through_its_question) {
  add({.text = "How are you?", .session = "x"});
  add({.text = "Where did you spend the holidays?", .session = "a"});
  const auto answer = add({.text = "In a small village near Lisbon, with my sister.", .session = "a"});
  add({.text = "A quiet evening by the fire with a book.", .session = "b"});
  // The answer shares no word with the question that is asked, only its neighbour does.
  const auto found = rows("holidays");
  ASSERT_GE(found.size(), 2u);
  EXPECT_TRUE(found[0] == answer || found[1] == answer);
}

TEST_F(Recall, MS_5_neighbours_are_those_of_the_session_and_not_of_the_stream) {
  add({.text = "We planned the holidays in the mountains together.", .session = "a"});
  const auto stranger = add({.text = "The printer is out of paper again today.", .session = "b"});
  const auto next = add({.text = "Packing takes until Friday evening at least.", .session = "a"});
  const auto found = rows("holidays");
  EXPECT_NE(std::find(found.begin(), found.end(), next), found.end());
  EXPECT_EQ(std::find(found.begin(), found.end(), stranger), found.end());
}

TEST_F(Recall, PF_12_an_inactive_message_is_nobodys_neighbour) {
  add({.text = "Plain beginning of this talk here.", .session = "a"});
  const auto left = add({.text = "We planned the holidays together.", .session = "a"});
  add({.text = "Packing takes until Friday.", .session = "a"});
  index_.set_active(left, false);
  EXPECT_TRUE(rows("holidays").empty());
}

TEST_F(Recall, PF_4_the_day_that_is_named_comes_first) {
  for (int day = 1; day <= 28; ++day) {
    const std::string date = "2025-03-" + std::string(day < 10 ? "0" : "") + std::to_string(day);
    add({.text = "今天去跑步了，感觉不错。", .session = date, .time = date + "T20:00:00+08:00"});
  }
  EXPECT_EQ(rows("3月20日跑步")[0], 20);
  EXPECT_EQ(rows("跑步 on March 7th, 2025")[0], 7);
  RecallQuery query;
  query.text = "昨天跑步";
  query.now = *parse_time("2025-03-16T09:00:00+08:00");
  EXPECT_EQ(rows(query)[0], 15);
}

TEST_F(Recall, MS_5_talks_in_which_the_named_one_is_absent_are_farther) {
  add({.text = "I painted a sunrise over the lake", .session = "a", .speaker = "Ben"});
  const auto told = add({.text = "Anna painted a sunrise over the lake", .session = "b", .speaker = "Carl"});
  const auto anna = add({.text = "I painted something over the lake", .session = "c", .speaker = "Anna"});
  const auto found = rows("When did Anna paint a sunrise over the lake?");
  ASSERT_GE(found.size(), 2U);
  EXPECT_TRUE((found[0] == told && found[1] == anna) || (found[0] == anna && found[1] == told));
}

TEST_F(Recall, MS_5_a_name_that_is_a_word_as_well_names_only_as_it_is_written) {
  const auto ben = add({.text = "The boat trip starts at nine", .session = "a", .speaker = "Ben"});
  add({.text = "We talked about boats", .session = "b", .speaker = "Will"});
  EXPECT_EQ(rows("When will the boat trip start?").front(), ben);
}

TEST_F(Recall, MS_5_of_two_speakers_the_named_one_is_meant) {
  add({.text = "I painted a sunrise over the lake", .session = "a", .speaker = "Ben"});
  const auto anna = add({.text = "I painted a sunrise over the lake", .session = "a", .speaker = "Anna"});
  add({.text = "I painted a sunrise over the lake", .session = "a", .speaker = "Ben"});
  EXPECT_EQ(rows("What did Anna paint at sunrise?")[0], anna);
}

TEST_F(Recall, MS_5_a_bare_question_comes_after_what_tells_something) {
  add({.text = "Did you see the sunrise?", .session = "a"});
  const auto told = add({.text = "The sunrise was red and long.", .session = "b"});
  EXPECT_EQ(rows("sunrise")[0], told);
}

TEST(ReadQuery, PF_14_a_question_about_who_asks_is_told_from_what_anybody_asks) {
  const auto personal = [](const std::string& text) {
    RecallQuery query;
    query.text = text;
    return read_query(query).personal;
  };
  for (const char* text :
       {"What is my blood type?", "Where did we park?", "Am I allergic to nuts?", "How do I get to my office?",
        "What was it that I wanted to buy?", "我住在哪里？", "咱家的猫叫什么？", "帮我看看我的航班是几点"})
    EXPECT_TRUE(personal(text)) << text;
  for (const char* text : {"What is 17 times 23?", "How do I peel a mango?", "Tell me a joke.", "Can I freeze bread?",
                           "Write me a poem on rain.", "帮我写一首诗", "告诉我法国的首都", "芒果怎么削皮？"})
    EXPECT_FALSE(personal(text)) << text;
}

TEST_F(Recall, PF_14_a_question_about_who_asks_is_surer_to_be_one_of_memory) {
  add({.text = "The spare key is in the shed.", .vector = {1, 0, 0, 0}});
  const auto relevance = [this](const std::string& text) {
    RecallQuery query;
    query.text = text;
    query.top_k = 1;
    query.vector = {0.6F, 0.8F, 0, 0};
    return ask(query).at(0).relevance;
  };
  EXPECT_GT(relevance("Where is my key?"), relevance("Where is the key?"));
  EXPECT_DOUBLE_EQ(relevance("Where is your key?"), relevance("Where is the key?"));
}

TEST_F(Recall, PF_24_what_is_far_above_all_others_is_surer_to_answer) {
  const auto vector = [](float first, float second) {
    return std::vector<float>{first, second, std::sqrt(1 - first * first - second * second), 0};
  };
  const auto features = [this](std::vector<float> question, const std::string& text = "Which colour has the door?") {
    RecallQuery query;
    query.text = text;
    query.top_k = 1;
    query.vector = std::move(question);
    return ask(query).at(0).features;
  };
  add({.text = "Green, since we painted it.", .vector = vector(0.6F, 0.6F)});
  for (int i = 0; i < 5; ++i) add({.text = "Tea is ready.", .session = "b", .vector = vector(0.1F, 0.1F)});
  const RelevanceFeatures of_few = features({1, 0, 0, 0});
  EXPECT_GT(of_few.few, 0.5) << "the spread of six cosines says little";
  EXPECT_GT(of_few.cosine_of_few, 0.3);
  for (int i = 0; i < 60; ++i)
    add({.text = "Tea is ready.", .session = "c", .vector = vector(i % 2 == 0 ? -0.1F : 0.3F, 0.1F)});
  const RelevanceFeatures apart = features({1, 0, 0, 0}), close = features({0, 1, 0, 0});
  EXPECT_LT(apart.few, 0.3);
  EXPECT_GT(apart.spread, close.spread);
  EXPECT_NEAR(apart.cosine, close.cosine, 1e-3);
  RelevanceFeatures narrow = apart;
  narrow.spread = close.spread;
  EXPECT_GT(relevance_of(apart), relevance_of(narrow));
  const RelevanceFeatures text = features({1, 0, 0, 0}, "We painted the door.\nWhich colour has it?");
  EXPECT_EQ(text.few, 1) << "a text is near to many things";
  EXPECT_EQ(text.spread, 0);
}

TEST_F(Recall, PF_7_the_signals_add_up_to_the_score) {
  add({.text = "I painted a sunrise on 3 May",
       .session = "a",
       .speaker = "Ben",
       .time = "2025-05-03T10:00:00Z",
       .vector = {0.2f, 0.9f}});
  add({.text = "Was it good?",
       .session = "a",
       .speaker = "Anna",
       .time = "2025-05-03T10:00:00Z",
       .vector = {0.7f, 0.3f}});
  add({.text = "A nice sunrise indeed, as an answer",
       .session = "a",
       .time = "2025-05-04T10:00:00Z",
       .role = Role::kAssistant,
       .vector = {0.5f, 0.5f}});
  RecallQuery query;
  query.text = "What did Ben paint on May 3rd at sunrise?";
  query.vector = {0.6f, 0.8f};
  const auto found = ask(query);
  ASSERT_EQ(found.size(), 3u);
  for (const ScoredRow& row : found) {
    double sum = 0;
    for (const Signal& signal : row.signals) sum += signal.share;
    EXPECT_NEAR(sum, row.score, 1e-3 * std::abs(row.score) + 1e-3);
  }
}

}  // namespace
}  // namespace weft
