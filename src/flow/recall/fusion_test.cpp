#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "flow/recall/fusion.h"
#include "flow/recall/recall.h"
#include "ports/index/scope_index.h"
#include "text/cues.h"

namespace weft {
namespace {

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

struct Said {
  int session = 0;
  std::vector<Term> terms = {};  ///< of all parts
  bool active = true, chinese = false;
};

ItemRow row_of(std::int64_t row, std::int64_t position, const Said& said, std::vector<Term> terms) {
  ItemRow item;
  item.row = row;
  item.item.kind = ItemKind::kMessage;
  item.item.session = SessionId(std::to_string(said.session));
  item.item.position = position;
  item.terms = std::move(terms);
  if (said.chinese) item.terms.push_back(chinese_term());
  item.active = said.active;
  return item;
}

float share_of(const Said& said) {
  const float most = said.chinese ? 80 : 14;
  return std::min(1.0F, most / static_cast<float>(std::max<std::size_t>(said.terms.size(), 1)));
}

/// The definition, written without any shortcut, over what is active, in the order in which it was said.
std::vector<double> expected(const std::vector<Said>& all, const std::vector<WordsIndex::QueryTerm>& query,
                             const Bm25& bm25) {
  std::vector<std::vector<std::pair<std::size_t, double>>> lends(all.size());  // who lends how much to each
  std::vector<double> length(all.size());
  double total = 0, active = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].active) continue;
    lends[i].emplace_back(i, 1.0);
    for (const int step : {-1, 1}) {
      int found = 0;
      for (auto j = static_cast<std::ptrdiff_t>(i) + step;
           j >= 0 && j < static_cast<std::ptrdiff_t>(all.size()) && found < 2; j += step) {
        const Said& other = all[static_cast<std::size_t>(j)];
        if (!other.active || other.session != all[i].session) continue;
        lends[i].emplace_back(static_cast<std::size_t>(j),
                              (found++ == 0 ? 0.8 : 0.6) * static_cast<double>(share_of(all[i]) * share_of(other)));
      }
    }
    for (const auto& [from, weight] : lends[i]) length[i] += weight * static_cast<double>(all[from].terms.size());
    total += length[i];
    ++active;
  }
  std::vector<double> scores(all.size());
  for (const auto& wanted : query) {
    const auto count = [&](std::size_t i) {
      return static_cast<double>(std::count(all[i].terms.begin(), all[i].terms.end(), wanted.term));
    };
    double with = 0;
    for (std::size_t i = 0; i < all.size(); ++i) with += all[i].active && count(i) > 0 ? 1 : 0;
    if (with == 0) continue;
    const double rarity = std::log(1 + (active - with + 0.5) / (with + 0.5));
    for (std::size_t i = 0; i < all.size(); ++i) {
      double times = 0;
      for (const auto& [from, weight] : lends[i]) times += weight * count(from);
      if (times > 0)
        scores[i] += static_cast<double>(wanted.weight) * rarity * (bm25.k1 + 1) * times /
                     (times + bm25.k1 * (1 - bm25.b + bm25.b * length[i] / (total / active)));
    }
  }
  return scores;
}

// Sessions that take turns, long and short messages, some in parts, branches left and taken up again, messages erased.
TEST(ContextWords, MS_5_agree_with_their_definition_whatever_was_changed) {
  std::mt19937 random(11);
  const auto draw = [&random](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int round = 0; round < 40; ++round) {
    ScopeIndex index;
    std::vector<Said> all;
    std::vector<std::vector<std::int64_t>> rows;
    std::int64_t row = 0;
    const int messages = 5 + draw(60);
    for (int i = 0; i < messages; ++i) {
      Said said{draw(3), {}, draw(8) != 0, draw(4) == 0};
      rows.emplace_back();
      const int parts = 1 + (draw(6) == 0 ? draw(3) : 0);
      for (int part = 0; part < parts; ++part) {
        std::vector<Term> terms;
        for (int word = 1 + draw(draw(5) == 0 ? 120 : 12); word > 0; --word)
          terms.push_back(static_cast<Term>(1 + draw(30)));
        said.terms.insert(said.terms.end(), terms.begin(), terms.end());
        rows.back().push_back(++row);
        ASSERT_TRUE(index.add(row_of(row, i, said, terms)).ok());
      }
      all.push_back(said);
    }
    for (int i = 0; i < messages / 4; ++i) {
      const auto place = static_cast<std::size_t>(draw(messages));
      if (all[place].terms.empty()) continue;
      all[place].active = draw(2) == 0;
      index.set_active(rows[place].front(), all[place].active);
      if (draw(3) != 0) continue;
      index.remove(rows[place]);
      all[place].active = false;
      all[place].terms.clear();
    }
    std::vector<WordsIndex::QueryTerm> query;
    for (Term term = 1; term <= 4; ++term) query.push_back({term * 7, static_cast<float>(1 + draw(2))});
    ContextScratch scratch;
    std::vector<float> scores;
    const auto reading = index.read();
    score_in_context(reading.shelf(ItemKind::kMessage), query, Bm25{}, scratch, scores);
    const auto wanted = expected(all, query, Bm25{});
    ASSERT_EQ(scores.size(), wanted.size());
    for (std::size_t i = 0; i < scores.size(); ++i)
      EXPECT_NEAR(scores[i], all[i].active ? wanted[i] : 0, 2e-3) << round << " " << i;
  }
}

TEST(ContextWords, MS_5_long_messages_neither_give_nor_take_much) {
  ScopeIndex index;
  std::int64_t row = 0;
  const auto add = [&](std::vector<Term> terms) {
    ++row;
    ASSERT_TRUE(index.add(row_of(row, row, Said{}, std::move(terms))).ok());
  };
  add({1, 2, 3});
  add({4, 5, 6});
  add(std::vector<Term>(500, 7));
  add({1, 2, 3});
  ContextScratch scratch;
  std::vector<float> scores;
  const std::vector<WordsIndex::QueryTerm> query{{7, 1}};
  score_in_context(index.read().shelf(ItemKind::kMessage), query, Bm25{}, scratch, scores);
  EXPECT_GT(scores[2], 0);
  const std::vector<WordsIndex::QueryTerm> first{{4, 1}};
  score_in_context(index.read().shelf(ItemKind::kMessage), first, Bm25{}, scratch, scores);
  EXPECT_GT(scores[0], 10 * scores[2]);
}

TEST(ContextWords, MS_5_of_a_whole_text_as_the_question_the_rarest_words_count) {
  ScopeIndex index;
  std::vector<WordsIndex::QueryTerm> query;
  for (Term term = 1; term <= 500; ++term) query.push_back({term, 1});
  std::vector<Term> common;
  for (Term term = 1; term <= 499; ++term) common.push_back(term);
  ASSERT_TRUE(index.add(row_of(1, 1, Said{0}, common)).ok());
  ASSERT_TRUE(index.add(row_of(2, 2, Said{1}, common)).ok());
  ASSERT_TRUE(index.add(row_of(3, 3, Said{2}, {500})).ok());
  ContextScratch scratch;
  std::vector<float> scores;
  score_in_context(index.read().shelf(ItemKind::kMessage), query, Bm25{}, scratch, scores);
  EXPECT_GT(scores[2], 0);
}

}  // namespace
}  // namespace weft
