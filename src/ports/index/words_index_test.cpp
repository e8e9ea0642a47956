#include "ports/index/words_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace weft {
namespace {

using Documents = std::vector<std::vector<Term>>;

Documents random_documents(std::mt19937& random, std::size_t count) {
  Documents documents(count);
  std::geometric_distribution<int> word(0.05), length(0.1);
  for (auto& document : documents)
    for (int i = length(random); i >= 0; --i) document.push_back(static_cast<Term>(word(random)) * 2654435761u);
  return documents;
}

/// The formula as it is written in books, document by document.
std::vector<double> plain_bm25(const Documents& documents, const std::vector<WordsIndex::QueryTerm>& query, const Bm25& bm25) {
  double total = 0;
  for (const auto& document : documents) total += static_cast<double>(document.size());
  const double average = total / static_cast<double>(documents.size());
  std::vector<double> scores(documents.size(), 0);
  for (const auto& [term, weight] : query) {
    double with = 0;
    for (const auto& document : documents) with += std::count(document.begin(), document.end(), term) > 0 ? 1 : 0;
    const double rarity = std::log(1 + (static_cast<double>(documents.size()) - with + 0.5) / (with + 0.5));
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const auto times = static_cast<double>(std::count(documents[i].begin(), documents[i].end(), term));
      const double length = static_cast<double>(documents[i].size()) / average;
      scores[i] += weight * rarity * times * (bm25.k1 + 1) / (times + bm25.k1 * (1 - bm25.b + bm25.b * length));
    }
  }
  return scores;
}

WordsIndex index_of(const Documents& documents) {
  WordsIndex index;
  for (std::uint32_t i = 0; i < documents.size(); ++i) index.add(i, documents[i]);
  return index;
}

std::vector<float> scores_of(const WordsIndex& index, const std::vector<WordsIndex::QueryTerm>& query, std::size_t slots) {
  std::vector<float> scores(slots, 0);
  index.score(query, Bm25{}, scores);
  return scores;
}

TEST(WordsIndex, MS_5_scores_are_those_of_the_plain_formula) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const Documents documents = random_documents(random, 1 + random() % 300);
    const WordsIndex index = index_of(documents);
    std::vector<WordsIndex::QueryTerm> query;
    for (int i = 0; i < 6; ++i) query.push_back({static_cast<Term>(random() % 30) * 2654435761u, static_cast<float>(1 + i % 3)});
    const auto wanted = plain_bm25(documents, query, Bm25{});
    const auto got = scores_of(index, query, documents.size());
    for (std::size_t i = 0; i < documents.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-3 + 1e-4 * wanted[i]);
  }
}

TEST(WordsIndex, MS_5_a_word_of_every_text_still_counts_for_and_never_against) {
  const Documents documents(50, {1, 2});
  const auto scores = scores_of(index_of(documents), {{1, 1}}, documents.size());
  for (const float score : scores) EXPECT_GT(score, 0);
}

TEST(WordsIndex, MS_5_rarer_words_weigh_more) {
  Documents documents(100, {1});
  documents[3] = {1, 2};
  const auto index = index_of(documents);
  EXPECT_GT(index.rarity(2), index.rarity(1));
  EXPECT_GT(index.rarity(99), index.rarity(2));
}

TEST(WordsIndex, PF_5_what_was_purged_leaves_no_trace) {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    const Documents all = random_documents(random, 200);
    WordsIndex index = index_of(all);
    std::vector<std::uint8_t> gone(all.size(), 0);
    Documents left = all;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (random() % 3 == 0) {
        gone[i] = 1;
        left[i].clear();
      }
    index.purge(gone);
    index.purge(gone);  // again is the same

    Documents kept;
    std::vector<std::size_t> place;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (gone[i] == 0) {
        kept.push_back(all[i]);
        place.push_back(i);
      }
    ASSERT_EQ(index.documents(), kept.size());
    const std::vector<WordsIndex::QueryTerm> query{{0, 1}, {2654435761u, 1}, {5 * 2654435761u, 2}};
    const auto got = scores_of(index, query, all.size());
    const auto fresh = scores_of(index_of(kept), query, kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_NEAR(got[place[i]], fresh[i], 1e-4);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (gone[i] != 0) {
        EXPECT_EQ(got[i], 0);
      }
  }
}

TEST(WordsIndex, PF_5_lists_grow_again_after_a_purge) {
  WordsIndex index;
  for (std::uint32_t i = 0; i < 40; ++i) index.add(i, std::vector<Term>{1, 1000 + i});
  std::vector<std::uint8_t> gone(40, 0);
  for (std::size_t i = 0; i < 35; ++i) gone[i] = 1;
  index.purge(gone);
  for (std::uint32_t i = 40; i < 80; ++i) index.add(i, std::vector<Term>{1, 1000 + i});
  EXPECT_EQ(index.count(1), 45u);
  const auto scores = scores_of(index, {{1, 1}}, 80);
  for (std::size_t i = 0; i < 80; ++i) EXPECT_EQ(scores[i] > 0, i >= 35) << i;
  for (std::uint32_t i = 0; i < 80; ++i) EXPECT_EQ(index.count(1000 + i), i >= 35 ? 1u : 0u) << i;
}

TEST(WordsIndex, an_empty_index_and_an_empty_text_find_nothing) {
  WordsIndex index;
  EXPECT_EQ(index.score(std::vector<WordsIndex::QueryTerm>{{1, 1}}, Bm25{}, {}), 0u);
  index.add(0, {});
  EXPECT_EQ(scores_of(index, {{1, 1}}, 1)[0], 0);
}

}  // namespace
}  // namespace weft
