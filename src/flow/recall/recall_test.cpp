#include "flow/recall/recall.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "text/question.h"
#include "text/words.h"

namespace weft {
namespace {

/// One message of a test, with what matters to recall.
struct Said {
  std::string text;
  std::string session = "s";
  std::string speaker = {};
  std::string time = "2025-01-01T10:00:00Z";
  Role role = Role::kUser;
  std::vector<float> vector = {};
  ItemKind kind = ItemKind::kMessage;
};

class Recall : public testing::Test {
 protected:
  /// Adds a message behind the last one and gives its row.
  std::int64_t add(const Said& said) { return add_at(++position_, said); }

  std::int64_t add_at(std::int64_t position, const Said& said) {
    EXPECT_TRUE(index_.add(row_of(++row_, position, said)).ok());
    return row_;
  }

  static ItemRow row_of(std::int64_t row, std::int64_t position, const Said& said) {
    ItemRow item;
    item.row = row;
    item.item.kind = said.kind;
    item.item.session = SessionId(said.session);
    item.item.time = *parse_time(said.time);
    item.item.position = position;
    item.role = said.role;
    item.speaker = said.speaker;
    item.terms = index_terms(said.speaker.empty() ? said.text : said.speaker + ": " + said.text);
    if (is_bare_question(said.text)) item.terms.push_back(question_mark_term());
    item.vector = said.vector;
    return item;
  }

  std::vector<ScoredRow> ask(const RecallQuery& query, std::string_view recipe = "balanced") {
    return *recall(index_, query, *find_recipe(recipe, settings_));
  }
  std::vector<std::int64_t> rows(const RecallQuery& query, std::string_view recipe = "balanced") {
    std::vector<std::int64_t> found;
    for (const ScoredRow& row : ask(query, recipe)) found.push_back(row.row);
    return found;
  }
  std::vector<std::int64_t> rows(const std::string& text, std::string_view recipe = "balanced") {
    RecallQuery query;
    query.text = text;
    return rows(query, recipe);
  }

  ScopeIndex index_;
  RecallSettings settings_;
  std::int64_t row_ = 0, position_ = 0;
};

using Rows = std::vector<std::int64_t>;

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

// ---- signals of the balanced recipe

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
  EXPECT_EQ(index_.size(), 1u);
  for (const char* recipe : {"balanced", "literal", "words", "recent"})
    EXPECT_EQ(rows("gateway", recipe), Rows{second}) << recipe;
  EXPECT_TRUE(index_.set_vector(first, std::vector<float>{1, 0}).ok()) << "erased while it was being embedded";
}

TEST_F(Recall, MS_5_adding_a_row_again_replaces_it) {
  const auto row = add({.text = "gateway", .vector = {1, 0}});
  ASSERT_TRUE(index_.add(row_of(row, 1, {.text = "lighthouse"})).ok());
  EXPECT_EQ(index_.size(), 1u);
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

// ---- recipes and the text that is embedded

TEST(Recipes, PF_11_are_found_by_name) {
  const RecallSettings settings;
  for (const char* name : {"balanced", "literal", "words", "vectors", "recent"})
    EXPECT_TRUE(find_recipe(name, settings).ok()) << name;
  EXPECT_FALSE(find_recipe("best", settings).ok());
  EXPECT_FALSE(find_recipe("words", settings)->uses_vectors());
  EXPECT_FALSE(find_recipe("recent", settings)->uses_vectors());
  EXPECT_TRUE(find_recipe("literal", settings)->uses_vectors());
}

TEST(Recipes, PF_11_the_literal_one_has_the_written_numbers) {
  const Recipe recipe = *find_recipe("literal", RecallSettings{});
  EXPECT_DOUBLE_EQ(recipe.vector, 0.7);
  EXPECT_DOUBLE_EQ(recipe.words, 0.3);
  EXPECT_EQ(recipe.arm_top, 20u);
  EXPECT_DOUBLE_EQ(recipe.min_threshold, 0);
}

TEST(TextToEmbed, PF_4_is_without_the_names_of_speakers) {
  const std::vector<std::string> names{"Anna", "Ben", "张伟", "user", "assistant"};
  EXPECT_EQ(text_to_embed("When did Anna paint a sunrise?", names), "When did paint a sunrise?");
  EXPECT_EQ(text_to_embed("What is Ben's favourite game?", names), "What is favourite game?");
  EXPECT_EQ(text_to_embed("张伟喜欢吃什么火锅？", names), "喜欢吃什么火锅？");
  EXPECT_EQ(text_to_embed("Annabel and a user wrote banners", names), "Annabel and a user wrote banners");
}

TEST(TextToEmbed, keeps_names_where_nothing_else_is_asked) {
  EXPECT_EQ(text_to_embed("Who is Anna?", std::vector<std::string>{"Anna"}), "Who is Anna?");
}

}  // namespace
}  // namespace weft
