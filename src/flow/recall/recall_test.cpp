#include "flow/recall/recall.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/recall_fixture.h"

namespace weft {
namespace {

using test::Recall, test::Rows, test::Said;

// ---- the literal recipe

TEST_F(Recall, MS_5_literal_joins_both_arms_with_the_written_weights) {
  const auto both = add({.text = "the gateway runs on the studio machine", .session = "a", .vector = {0.6f, 0.8f}});
  const auto by_vector = add({.text = "something else entirely", .session = "b", .vector = {1, 0}});
  const auto by_words = add({.text = "gateway gateway", .session = "c"});
  RecallQuery query;
  query.text = "gateway";
  query.vector = {1, 0};
  const auto found = ask(query, "literal");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].row, by_vector);
  EXPECT_NEAR(found[0].score, 0.7 * 1, 0.005);
  EXPECT_EQ(found[1].row, both);
  EXPECT_NEAR(found[1].score, 0.7 * 0.6 + 0.3 / 2, 0.005);
  EXPECT_EQ(found[2].row, by_words);
  EXPECT_DOUBLE_EQ(found[2].score, 0.3);
}

TEST_F(Recall, MS_5_literal_takes_so_many_of_each_arm) {
  for (int i = 0; i < 30; ++i) add({.text = "gateway", .session = std::to_string(i)});
  for (int i = 0; i < 30; ++i)
    add({.text = "other", .session = std::to_string(i), .vector = {1, static_cast<float>(i) * 0.01f}});
  RecallQuery query;
  query.text = "gateway";
  query.vector = {1, 0};
  query.top_k = 100;
  EXPECT_EQ(ask(query, "literal").size(), 40u);
  settings_.arm_top = 5;
  EXPECT_EQ(ask(query, "literal").size(), 10u);
}

TEST_F(Recall, MS_5_a_threshold_above_the_weight_of_words_drops_what_only_words_find) {
  const auto row = add({.text = "gateway"});
  EXPECT_EQ(rows("gateway", "literal"), Rows{row});
  settings_.min_threshold = 0.3;
  EXPECT_TRUE(rows("gateway", "literal").empty()) << "only scores above the threshold stay";
  settings_.min_threshold = 0.29;
  EXPECT_EQ(rows("gateway", "literal"), Rows{row});
}

// ---- what is found, in both languages

TEST_F(Recall, PF_4_names_of_two_characters_are_found_in_chinese) {
  add({.text = "我们周末去了湖边。", .session = "a"});
  const auto wanted = add({.text = "昨天和张伟一起吃了火锅。", .session = "b"});
  add({.text = "伟大的张力", .session = "c"});
  for (const char* recipe : {"balanced", "literal", "words"}) EXPECT_EQ(rows("张伟", recipe)[0], wanted) << recipe;
}

TEST_F(Recall, PF_4_words_are_found_in_other_forms_in_english) {
  add({.text = "The weather was fine.", .session = "a"});
  const auto wanted = add({.text = "She painted two sunrises.", .session = "b"});
  EXPECT_EQ(rows("painting a sunrise")[0], wanted);
}

TEST_F(Recall, MS_5_what_only_words_find_survives_beside_vectors) {
  for (int i = 0; i < 50; ++i)
    add({.text = "chat about things", .session = std::to_string(i), .vector = {1, 0.01f * static_cast<float>(i)}});
  const auto wanted = add({.text = "error E4711 in module", .session = "x"});
  RecallQuery query;
  query.text = "E4711";
  query.vector = {1, 0};
  EXPECT_EQ(rows(query)[0], wanted);
}

TEST_F(Recall, MS_5_a_first_vector_takes_nothing_from_what_it_belongs_to) {
  const auto wanted = add({.text = "we reached the harbour at dusk", .vector = {1, 0}});
  add({.text = "the harbour was empty"});
  add({.text = "nobody at home at dusk"});
  RecallQuery query;
  query.text = "we reached the harbour at dusk";
  query.vector = {1, 0};
  EXPECT_EQ(rows(query)[0], wanted) << "one of three is embedded so far";
}

TEST_F(Recall, MS_5_what_only_vectors_find_is_found) {
  for (int i = 0; i < 50; ++i) add({.text = "chat about things", .session = std::to_string(i), .vector = {0.1f, 1}});
  const auto wanted = add({.text = "we adopted a puppy", .session = "x", .vector = {1, 0.1f}});
  RecallQuery query;
  query.text = "pets";
  query.vector = {1, 0};
  EXPECT_EQ(rows(query)[0], wanted);
}

TEST_F(Recall, a_question_without_anything_in_memory_gives_nothing) {
  EXPECT_TRUE(rows("anything").empty());
  add({.text = "a cat"});
  EXPECT_TRUE(rows("zebra").empty());
  EXPECT_TRUE(rows("").empty());
  RecallQuery none;
  none.text = "cat";
  none.top_k = 0;
  EXPECT_TRUE(rows(none).empty());
}

// ---- filters

TEST_F(Recall, PF_3_filters_hold_before_ranking) {
  for (int i = 0; i < 100; ++i) add({.text = "gateway gateway gateway", .session = "loud", .vector = {1, 0}});
  const auto wanted = add({.text = "a note on the gateway among many other words of no matter",
                           .session = "quiet",
                           .vector = {0.6F, 0.8F}});
  RecallQuery query;
  query.text = "gateway";
  query.vector = {1, 0};
  query.top_k = 5;
  query.session = SessionId("quiet");
  for (const char* recipe : {"balanced", "literal", "words", "vectors", "recent"})
    EXPECT_EQ(rows(query, recipe), Rows{wanted}) << recipe;
  query.session.reset();
  query.not_session = SessionId("loud");
  for (const char* recipe : {"balanced", "literal", "words", "vectors", "recent"})
    EXPECT_EQ(rows(query, recipe), Rows{wanted}) << recipe;
}

TEST_F(Recall, PF_3_a_session_without_items_gives_nothing) {
  add({.text = "gateway", .session = "a"});
  RecallQuery query;
  query.text = "gateway";
  query.session = SessionId("b");
  for (const char* recipe : {"balanced", "literal", "recent"}) EXPECT_TRUE(rows(query, recipe).empty()) << recipe;
}

TEST_F(Recall, MS_5_bounds_of_time_are_inclusive) {
  add({.text = "gateway", .time = "2025-01-01T00:00:00Z"});
  const auto second = add({.text = "gateway", .time = "2025-01-02T00:00:00Z"});
  const auto third = add({.text = "gateway", .time = "2025-01-03T00:00:00Z"});
  add({.text = "gateway", .time = "2025-01-04T00:00:00Z"});
  RecallQuery query;
  query.text = "gateway";
  query.from = *parse_time("2025-01-02T00:00:00Z");
  query.to = *parse_time("2025-01-03T00:00:00Z");
  auto found = rows(query);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (Rows{second, third}));
}

TEST_F(Recall, PF_12_what_is_inactive_is_not_found_until_it_is_active_again) {
  const auto left = add({.text = "gateway on the old branch"});
  const auto stays = add({.text = "gateway on the new branch"});
  index_.set_active(left, false);
  for (const char* recipe : {"balanced", "literal", "recent"})
    EXPECT_EQ(rows("gateway", recipe), Rows{stays}) << recipe;
  index_.set_active(left, true);
  EXPECT_EQ(rows("gateway").size(), 2u);
}

TEST_F(Recall, MS_5_kinds_are_ranked_apart) {
  const auto message = add({.text = "we talked about the gateway"});
  for (int i = 0; i < 20; ++i) add({.text = "gateway event", .kind = ItemKind::kEvent});
  RecallQuery query;
  query.text = "gateway";
  query.kinds = {ItemKind::kMessage};
  const auto alone = ask(query);
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0].row, message);
  query.kinds = {ItemKind::kEvent};
  EXPECT_EQ(ask(query).size(), 10u);
  query.kinds = {};
  query.top_k = 50;
  EXPECT_EQ(ask(query).size(), 21u);
}

TEST_F(Recall, MS_5_what_the_historian_writes_does_not_change_the_ranking_of_messages) {
  add({.text = "the gateway and the studio", .session = "a"});
  add({.text = "the studio", .session = "b"});
  add({.text = "the gateway", .session = "c"});
  RecallQuery query;
  query.text = "gateway studio";
  query.kinds = {ItemKind::kMessage};
  const auto before = ask(query);
  for (int i = 0; i < 30; ++i) add({.text = "studio studio gateway", .kind = ItemKind::kEvent});
  const auto after = ask(query);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].row, after[i].row);
    EXPECT_DOUBLE_EQ(before[i].score, after[i].score);
  }
}

// ---- long messages, replacing, removing

TEST_F(Recall, MS_5_of_a_long_message_the_best_part_stands_for_all) {
  add_at(1, {.text = "First part about the weather and the garden."});
  const auto second = add_at(1, {.text = "Second part about the gateway."});
  add_at(1, {.text = "Third part about the gateway and much else that does not matter here at all."});
  add_at(2, {.text = "Something short.", .session = "other"});
  EXPECT_EQ(rows("gateway"), Rows{second});
}

TEST_F(Recall, PF_5_a_removed_item_is_not_found_and_weighs_nothing) {
  const auto first = add({.text = "gateway one", .session = "a", .vector = {1, 0}});
  const auto second = add({.text = "gateway two", .session = "b", .vector = {0, 1}});
  index_.remove(Rows{first, 999});
  for (const char* recipe : {"balanced", "literal", "words", "recent"})
    EXPECT_EQ(rows("gateway", recipe), Rows{second}) << recipe;
  EXPECT_TRUE(index_.set_vector(first, std::vector<float>{1, 0}).ok()) << "erased while it was being embedded";
}

TEST_F(Recall, MS_5_adding_a_row_again_replaces_it) {
  const auto row = add({.text = "gateway", .vector = {1, 0}});
  ASSERT_TRUE(index_.add(row_of(row, 1, {.text = "lighthouse"})).ok());
  EXPECT_TRUE(rows("gateway").empty());
  EXPECT_EQ(rows("lighthouse"), Rows{row});
}

TEST_F(Recall, PF_13_vectors_that_cannot_be_compared_are_refused) {
  const auto row = add({.text = "gateway", .vector = {1, 0}});
  EXPECT_FALSE(index_.set_vector(row, std::vector<float>{1, 0, 0}).ok());
  EXPECT_FALSE(index_.set_vector(row, std::vector<float>{NAN, 0}).ok());
  EXPECT_FALSE(index_.set_vector(row, std::vector<float>{}).ok());
  EXPECT_TRUE(index_.set_vector(row, std::vector<float>{0, 1}).ok());
}

TEST_F(Recall, PF_9_an_index_filled_in_another_order_answers_the_same) {
  std::vector<Said> all;
  for (int i = 0; i < 60; ++i)
    all.push_back({.text = "note " + std::to_string(i % 7) + " on the gateway " + std::to_string(i),
                   .session = std::to_string(i % 4),
                   .vector = {static_cast<float>(i % 5), 1}});
  ScopeIndex forward, backward;
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(forward.add(row_of(i + 1, i, all[static_cast<std::size_t>(i)])).ok());
  for (int i = 59; i >= 0; --i) ASSERT_TRUE(backward.add(row_of(i + 1, i, all[static_cast<std::size_t>(i)])).ok());
  RecallQuery query;
  query.text = "note 3 gateway";
  query.vector = {0.8f, 0.6f};
  query.top_k = 30;
  const auto recipe = *find_recipe("balanced", settings_);
  const auto one = *recall(forward, query, recipe), other = *recall(backward, query, recipe);
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i].score, other[i].score, 1e-3);
}

}  // namespace
}  // namespace weft
